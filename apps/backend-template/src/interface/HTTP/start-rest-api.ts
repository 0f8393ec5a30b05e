import { openBackend } from "../../backend.ts";
import { httpAddress } from "../../process/address.ts";
import { runProcess } from "../../process/lifecycle.ts";
import { startupPlan } from "../../process/startup-plan.ts";
import { startHttp } from "./start-http.ts";

await runProcess(async (onClose) => {
  const plan = startupPlan("rest");
  const address = httpAddress(process.env, 3000);
  const backend = await openBackend(plan, process.env);
  onClose(() => backend.close());
  const http = await startHttp(backend, address);
  onClose(() => http.close());
  return `REST (${plan.httpFramework}) on http://${address.host}:${http.port}`;
});
