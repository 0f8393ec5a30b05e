import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A part of the address that must not appear anywhere. */
export const RECEIVER_SECRET = "canary-8f3a1c";

export interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type RespondToWebhook = (response: ServerResponse, count: number) => void;

/** A real receiver of webhooks. @param respond by default 204 */
export async function startWebhookReceiver(respond: RespondToWebhook = (response) => response.writeHead(204).end()) {
  const received: Received[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() });
      respond(response, received.length);
      arrivals.emit("request");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const count = async (expectedCount: number): Promise<void> => {
    while (received.length < expectedCount) await once(arrivals, "request");
  };
  const close = (): Promise<unknown> => new Promise((resolve) => server.close(resolve));
  return { received, count, close, url: `http://127.0.0.1:${port}/hooks/${RECEIVER_SECRET}` };
}
