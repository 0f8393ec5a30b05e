import type { Queue as JobQueue } from "bullmq";
import { connectRedis, redisUrl } from "../process/connect-redis.ts";
import { withPackages } from "../process/required-package.ts";
import type { Mediator } from "./mediator.ts";

const SETTING = "SVC_MESSAGE_MEDIATOR_ADAPTER=bullmq";

/** One queue per topic, in the backend's Redis. @throws {Error} if Redis cannot be reached. */
export async function bullMediator(env: Readonly<Record<string, string | undefined>>): Promise<Mediator> {
  const { Queue, Worker } = await withPackages(SETTING, ["bullmq", "ioredis"], () => import("bullmq"));
  const url = redisUrl(env);
  // BullMQ itself would wait for Redis forever.
  await (await connectRedis(SETTING, url)).close();
  const connection = { url, maxRetriesPerRequest: null };
  const queues = new Map<string, JobQueue>();
  const closing: (() => Promise<void>)[] = [];
  const queueOf = (topic: string): JobQueue => {
    const existing = queues.get(topic);
    if (existing) return existing;
    const queue = new Queue(topic, { connection });
    queue.on("error", ({ message }) => console.error(`bullmq: ${message}`));
    queues.set(topic, queue);
    closing.push(() => queue.close());
    return queue;
  };
  return {
    async publish(topic, message) {
      await queueOf(topic).add(topic, message, { attempts: 2, removeOnComplete: true, removeOnFail: 100 });
    },
    async handle(topic, handler) {
      const worker = new Worker(topic, async (job) => handler(job.data), { connection });
      worker.on("error", ({ message }) => console.error(`bullmq: ${message}`));
      closing.push(() => worker.close());
      await worker.waitUntilReady();
    },
    async close() {
      await Promise.all(closing.map((close) => close()));
    },
  };
}
