/** The cluster adapter: a primary process that distributes connections, and workers that serve them. */
import cluster, { type Worker } from "node:cluster";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "socket.io";
import { withPackages } from "../../process/required-package.ts";

const SETTING = "SVC_WEBSOCKET_SOCKETIO_ADAPTER=cluster";
const PACKAGES = ["@socket.io/cluster-adapter", "@socket.io/sticky"];

export interface Primary {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens, forks the workers, and passes each client's connections to the same worker, which long polling requires. A
 * worker that dies is replaced.
 *
 * @throws the system's error if the port is in use; an Error if a worker does not start.
 */
export async function startPrimary(workers: number, listen: { host: string; port: number }): Promise<Primary> {
  const { sticky, adapter } = await loadCluster();
  const server = createServer();
  // The workers announce each session twice, so a count of connections would be wrong.
  sticky.setupMaster(server, { loadBalancingMethod: "round-robin" });
  adapter.setupPrimary();
  cluster.setupPrimary({ serialization: "advanced" });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    server.close();
    const stopped = Object.values(cluster.workers ?? {}).map(stopWorker);
    await Promise.all(stopped);
  };
  try {
    await Promise.all(Array.from({ length: workers }, () => startWorker(() => isClosing)));
  } catch (error) {
    await close();
    throw error;
  }
  return { port: (server.address() as AddressInfo).port, close };
}

export async function loadCluster() {
  return withPackages(SETTING, PACKAGES, async () => ({
    sticky: await import("@socket.io/sticky"),
    adapter: await import("@socket.io/cluster-adapter"),
  }));
}

/**
 * Announces each session to the primary before the client learns its id. `@socket.io/sticky` does so only afterwards,
 * and a faster request goes to another worker, which responds "Session ID unknown".
 */
export function announceSessions({ engine }: Server, send: (message: object) => Promise<void> = sendToPrimary): void {
  const newId = engine.generateId.bind(engine);
  engine.generateId = async (request) => {
    const id = await newId(request);
    await send({ type: "sticky:connection", data: id });
    return id;
  };
}

function sendToPrimary(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

/** A worker that was never ready is not replaced, because its successor would fail, too. */
function startWorker(isClosing: () => boolean): Promise<void> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    let isReady = false;
    worker.on("message", (message: unknown) => {
      isReady ||= message === "ready";
      if (isReady) resolve();
    });
    worker.once("exit", (code) => {
      reject(new Error(`A worker of the cluster ended at its start, with code ${code}.`));
      if (isReady && !isClosing()) void startWorker(isClosing).catch((error: unknown) => console.error(error));
    });
  });
}

function stopWorker(worker: Worker | undefined): Promise<void> {
  return new Promise((resolve) => {
    // A worker that has just ended may still be listed, but emits no further exit event.
    if (!worker || worker.isDead()) return resolve();
    worker.once("exit", () => resolve());
    worker.kill("SIGTERM");
  });
}
