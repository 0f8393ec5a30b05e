import { requireStartup } from "svcm/startup";
import { httpAddress } from "../../process/address.ts";
import { runProcess } from "../../process/lifecycle.ts";
import { startHttp } from "./start-http.ts";

await runProcess(async () => {
  const plan = requireStartup("rest", process.env);
  const address = httpAddress(process.env, 3000);
  const http = await startHttp(plan, address);
  return { summary: `REST (${plan.httpFramework}) on http://${address.host}:${http.port}`, close: () => http.close() };
});
