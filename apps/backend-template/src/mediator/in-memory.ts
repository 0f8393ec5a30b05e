import type { Mediator } from "./mediator.ts";

/**
 * Messages within this process. One without a handler is dropped; a handler that fails is logged, because the sender of a
 * message does not depend on those who get it.
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
