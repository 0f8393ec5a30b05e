/** The process entrypoint of the WebSocket API, with REST beside it on the same port. */
import cluster from "node:cluster";
import { requireStartup, type WebSocketPlan } from "svcm/startup";
import type { Server } from "socket.io";
import { openBackend } from "../../backend.ts";
import { httpAddress } from "../../process/address.ts";
import { runProcess, type OnClose } from "../../process/lifecycle.ts";
import { startHttp } from "../HTTP/start-http.ts";
import { loadCluster, startPrimary } from "./cluster.ts";
import { useRedisStreams } from "./redis-streams.ts";
import { broadcastItems, socketServer } from "./socket-server.ts";

await runProcess(async (onClose) => {
  const plan = requireStartup("websocket", process.env);
  const address = httpAddress(process.env, 3001);
  const { adapter = "memory", workers = 1, redisUrl } = plan.realtime?.websocket ?? {};
  const at = (port: number): string =>
    `WebSocket (${adapter}) and REST (${plan.httpFramework}) on http://${address.host}:${port}`;
  if (adapter === "cluster" && cluster.isPrimary) {
    if (plan.databaseDriver === "InMemory")
      console.warn("SVC_DATABASE_DRIVER=InMemory: each worker has items of its own.");
    const primary = await startPrimary(workers, address);
    onClose(() => primary.close());
    return `${at(primary.port)}, ${workers} workers`;
  }
  const backend = await openBackend(plan, process.env);
  onClose(() => backend.close());
  // A worker has no port of its own: the primary hands it its connections.
  const http = await startHttp(backend, cluster.isWorker ? { host: "127.0.0.1", port: 0 } : address);
  onClose(() => http.close());
  const io = socketServer(http.server, backend);
  onClose(() => io.close());
  await adapt(io, adapter, redisUrl, onClose);
  await broadcastItems(io, backend);
  return cluster.isWorker ? `WebSocket worker ${process.pid}` : at(http.port);
});

async function adapt(
  io: Server,
  adapter: WebSocketPlan["adapter"],
  redisUrl: WebSocketPlan["redisUrl"],
  onClose: OnClose,
): Promise<void> {
  if (adapter === "cluster") {
    const { sticky, adapter: clusterAdapter } = await loadCluster();
    io.adapter(clusterAdapter.createAdapter());
    sticky.setupWorker(io);
  }
  if (adapter === "redis-streams" && redisUrl) {
    const end = await useRedisStreams(io, redisUrl.reveal());
    onClose(async () => end());
  }
}
