/** Each message is handled once, by one of the handlers of its topic. */
export interface Mediator {
  publish(topic: string, message: unknown): Promise<void>;
  handle(topic: string, handler: (message: unknown) => Promise<void> | void): Promise<void>;
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Opens the adapter of `SVC_MESSAGE_MEDIATOR_ADAPTER`. @throws {Error} if its server cannot be reached. */
export async function openMediator(adapter: string, env: Env): Promise<Mediator> {
  if (adapter === "rabbitmq") return (await import("./rabbitmq.ts")).rabbitMediator(env);
  if (adapter === "bullmq") return (await import("./bullmq.ts")).bullMediator(env);
  return (await import("./in-memory.ts")).inMemoryMediator();
}
