import { once } from "node:events";
import { createServer, connect as dial, type Socket, type Server } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that a test can interrupt, pause and resume. */
export async function tunnel(port: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  const accepted = { count: 0 };
  const server: Server = createServer((near) => {
    accepted.count += 1;
    const far = dial(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on("error", () => undefined);
      from.on("close", () => void to.destroy());
      from.pipe(to);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, accepted, cut };
}
