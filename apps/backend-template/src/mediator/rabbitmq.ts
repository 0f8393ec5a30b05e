import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import { withPackages } from "../process/required-package.ts";
import type { Mediator } from "./mediator.ts";

const SETTING = "SVC_MESSAGE_MEDIATOR_ADAPTER=rabbitmq";

/**
 * One queue per topic of a durable exchange. Messages are acknowledged after they were handled.
 *
 * @throws {Error} if `SVC_RABBITMQ_URL` is missing or its server cannot be reached. The message never contains the URL.
 */
export async function rabbitMediator(env: Readonly<Record<string, string | undefined>>): Promise<Mediator> {
  const amqp = await withPackages(SETTING, ["amqplib"], () => import("amqplib"));
  const url = env["SVC_RABBITMQ_URL"];
  if (!url) throw new Error(`${SETTING} needs SVC_RABBITMQ_URL; accepted: amqp://host:port or amqps://host:port`);
  const exchange = env["SVC_RABBITMQ_EXCHANGE"] || "backend";
  const queuePrefix = env["SVC_RABBITMQ_REQUEST_QUEUE"] || "backend";
  const connection = await amqp.connect(url, { timeout: 5000 }).catch((error: unknown) => {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "refused";
    throw new Error(`${SETTING}: the server of SVC_RABBITMQ_URL cannot be reached (${reason})`);
  });
  // Without its broker, the process cannot work; PM2 restarts it.
  connection.on("error", (error: Error) => console.error(`rabbitmq: ${error.message}`));
  let isClosing = false;
  connection.on("close", () => {
    if (!isClosing) process.kill(process.pid, "SIGTERM");
  });
  const close = async (): Promise<void> => {
    isClosing = true;
    await connection.close();
  };
  const prefetch = Number(env["SVC_RABBITMQ_PREFETCH"]) || 10;
  const channel = await openChannel(connection, exchange, prefetch).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    async publish(topic, message) {
      channel.publish(exchange, topic, Buffer.from(JSON.stringify(message)), { persistent: true });
      await channel.waitForConfirms();
    },
    async handle(topic, handler) {
      const { queue } = await channel.assertQueue(`${queuePrefix}.${topic}`, { durable: true });
      await channel.bindQueue(queue, exchange, topic);
      const deliver = async (delivery: ConsumeMessage): Promise<void> => {
        try {
          await handler(JSON.parse(delivery.content.toString()));
          channel.ack(delivery);
        } catch (error) {
          console.error(error);
          // Another consumer gets it once, then it is dropped.
          channel.nack(delivery, false, !delivery.fields.redelivered);
        }
      };
      await channel.consume(queue, (delivery) => {
        if (delivery) void deliver(delivery);
      });
    },
    close,
  };
}

async function openChannel(connection: ChannelModel, exchange: string, prefetch: number): Promise<ConfirmChannel> {
  const channel = await connection.createConfirmChannel();
  await channel.assertExchange(exchange, "topic", { durable: true });
  await channel.prefetch(prefetch);
  return channel;
}
