/** The cluster adapter: one primary that spreads connections, workers that serve. */
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
 * Listens, forks the workers and hands each client's connections to the same worker: what long polling
 * needs. A worker that dies is replaced.
 *
 * @throws the system's error where the port is taken; an Error where a worker does not start.
 */
export async function startPrimary(workers: number, listen: { host: string; port: number }): Promise<Primary> {
  const { sticky, adapter } = await loadCluster();
  const server = createServer();
  // The workers announce each session twice, which a count of connections would not survive.
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
    const gone = Object.values(cluster.workers ?? {}).map(endOf);
    await Promise.all(gone);
  };
  try {
    await Promise.all(Array.from({ length: workers }, () => startWorker(() => isClosing)));
  } catch (error) {
    await close();
    throw error;
  }
  return { port: (server.address() as AddressInfo).port, close };
}

/** Loads the packages of the cluster adapter. */
export async function loadCluster() {
  return withPackages(SETTING, PACKAGES, async () => ({
    sticky: await import("@socket.io/sticky"),
    adapter: await import("@socket.io/cluster-adapter"),
  }));
}

/**
 * Announces each session to the primary before the client learns its id. `@socket.io/sticky` does so only afterwards,
 * and a request that is faster goes to another worker, which answers "Session ID unknown".
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

/** One that was ready and dies is replaced; one that never was could not start, and would not the next time. */
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

function endOf(worker: Worker | undefined): Promise<void> {
  return new Promise((resolve) => {
    // A worker that has just ended may still be listed, and has no more exit event.
    if (!worker || worker.isDead()) return resolve();
    worker.once("exit", () => resolve());
    worker.kill("SIGTERM");
  });
}
