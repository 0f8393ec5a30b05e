/** The process entrypoint of the gRPC API, with REST beside it on a port of its own. */
import { requireStartup } from "svcm/startup";
import { openBackend } from "../../backend.ts";
import { httpAddress, portOf } from "../../process/address.ts";
import { runProcess } from "../../process/lifecycle.ts";
import { startHttp } from "../HTTP/start-http.ts";
import { startGrpc } from "./grpc-server.ts";

await runProcess(async (onClose) => {
  const plan = requireStartup("grpc", process.env);
  const address = httpAddress(process.env, 3002);
  const grpcPort = portOf(process.env, "SVC_GRPC_PORT", 50_051);
  const backend = await openBackend(plan, process.env);
  onClose(() => backend.close());
  const http = await startHttp(backend, address);
  onClose(() => http.close());
  const grpc = await startGrpc(backend, { host: address.host, port: grpcPort });
  onClose(() => grpc.close());
  return `gRPC on ${address.host}:${grpc.port}, REST (${plan.httpFramework}) on http://${address.host}:${http.port}`;
});
