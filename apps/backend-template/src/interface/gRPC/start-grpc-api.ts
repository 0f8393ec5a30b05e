/** The process entrypoint of the gRPC API, with REST beside it on another port. */
import { openBackend } from "../../backend.ts";
import { openRealtimeItems } from "../../items/open-items.ts";
import { httpAddress, readPort } from "../../process/address.ts";
import { runProcess } from "../../process/lifecycle.ts";
import { startupPlan } from "../../process/startup-plan.ts";
import { startHttp } from "../HTTP/start-http.ts";
import { startGrpc } from "./grpc-server.ts";

await runProcess(async (onClose) => {
  const plan = startupPlan("grpc");
  const address = httpAddress(process.env, 3002);
  const grpcPort = readPort(process.env, "SVC_GRPC_PORT", 50_051);
  const backend = await openBackend(plan, process.env);
  onClose(() => backend.close());
  const items = await openRealtimeItems(plan.realtime?.databaseDriver ?? "", process.env);
  onClose(() => items.close());
  const http = await startHttp(backend, address);
  onClose(() => http.close());
  const grpc = await startGrpc(backend, items, { host: address.host, port: grpcPort });
  onClose(() => grpc.close());
  return `gRPC on ${address.host}:${grpc.port}, REST (${plan.httpFramework}) on http://${address.host}:${http.port}`;
});
