import type { Mediator } from "./mediator.ts";

/**
 * A message without a handler is dropped. A failing handler is only logged, because senders do not depend on
 * receivers.
 */
export function inMemoryMediator(): Mediator {
  const handlers = new Map<string, (message: unknown) => Promise<void> | void>();
  return {
    async publish(topic, message) {
      try {
        await handlers.get(topic)?.(structuredClone(message));
      } catch (error) {
        console.error(error);
      }
    },
    handle(topic, handler) {
      handlers.set(topic, handler);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
