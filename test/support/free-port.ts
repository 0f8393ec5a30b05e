import { createServer, type Server } from "node:net";

/**
 * Ports below the ephemeral range, so that no other process gets one between the check and the start. Each worker of a
 * run has 2,500, and a second run on this machine starts at another one.
 */
const SIZE = 2_500;
const FIRST = 12_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 8) * SIZE;
let next = process.pid % SIZE;

/** For a program that cannot choose a port itself. Never returns the same port twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + next;
    next = (next + 1) % SIZE;
    if (await isFree(port)) return port;
  }
}

export async function isFree(port: number): Promise<boolean> {
  const server = await listenAt(port).catch(() => undefined);
  await new Promise((closed) => (server === undefined ? closed(undefined) : server.close(closed)));
  return server !== undefined;
}

/** @throws the system's error if the port is in use */
export function listenAt(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
