/** The process entrypoint of the WebSocket API, with REST beside it on the same port. */
import cluster from "node:cluster";
import type { WebSocketPlan } from "svcm/startup";
import type { Server } from "socket.io";
import { openBackend } from "../../backend.ts";
import { usesProcessMemory, openRealtimeItems } from "../../items/open-items.ts";
import { httpAddress } from "../../process/address.ts";
import { runProcess, type OnClose } from "../../process/lifecycle.ts";
import { startupPlan } from "../../process/startup-plan.ts";
import { startHttp } from "../HTTP/start-http.ts";
import { announceSessions, loadCluster, startPrimary } from "./cluster.ts";
import { useRedisStreams } from "./redis-streams.ts";
import { broadcastItems, socketServer } from "./socket-server.ts";

await runProcess(async (onClose) => {
  const plan = startupPlan("websocket");
  const address = httpAddress(process.env, 3001);
  const { websocket = {}, databaseDriver = "" } = plan.realtime ?? {};
  const { adapter = "memory", workers = 1, redisUrl }: Partial<WebSocketPlan> = websocket;
  const describe = (port: number): string =>
    `WebSocket (${adapter}) and REST (${plan.httpFramework}) on http://${address.host}:${port}`;
  if (adapter === "cluster" && cluster.isPrimary) {
    warnAboutSeparateItems(plan.databaseDriver);
    const primary = await startPrimary(workers, address);
    onClose(() => primary.close());
    return `${describe(primary.port)}, ${workers} workers`;
  }
  const backend = await openBackend(plan, process.env);
  onClose(() => backend.close());
  const items = await openRealtimeItems(databaseDriver, process.env);
  onClose(() => items.close());
  // A worker needs no port, because the primary passes connections to it.
  const http = await startHttp(backend, cluster.isWorker ? { host: "127.0.0.1", port: 0 } : address);
  onClose(() => http.close());
  const io = socketServer(http.server, backend, items);
  onClose(() => io.close());
  await useAdapter(io, adapter, redisUrl, onClose);
  await broadcastItems(io, backend, items);
  return cluster.isWorker ? `WebSocket worker ${process.pid}` : describe(http.port);
});

function warnAboutSeparateItems(driver: string): void {
  if (driver === "InMemory") console.warn("SVC_DATABASE_DRIVER=InMemory: each worker has its own items.");
  if (usesProcessMemory(process.env)) {
    console.warn("SVC_REALTIME_DATABASE_URL=memory: each worker has its own realtime data.");
  }
}

async function useAdapter(
  io: Server,
  adapter: WebSocketPlan["adapter"],
  redisUrl: WebSocketPlan["redisUrl"],
  onClose: OnClose,
): Promise<void> {
  if (adapter === "cluster") {
    const { sticky, adapter: clusterAdapter } = await loadCluster();
    io.adapter(clusterAdapter.createAdapter());
    sticky.setupWorker(io);
    announceSessions(io);
  }
  if (adapter === "redis-streams" && redisUrl) {
    const end = await useRedisStreams(io, redisUrl.reveal());
    onClose(async () => end());
  }
}
