import type { Mediator } from "./mediator.ts";

/** Messages within this process. One that nobody handles is dropped. */
export function inMemoryMediator(): Mediator {
  const handlers = new Map<string, (message: unknown) => Promise<void> | void>();
  return {
    async publish(topic, message) {
      await handlers.get(topic)?.(structuredClone(message));
    },
    handle(topic, handler) {
      handlers.set(topic, handler);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
