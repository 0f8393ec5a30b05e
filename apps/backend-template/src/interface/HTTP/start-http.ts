import type { StartupPlan } from "svcm/startup";
import { ContextRegistry } from "../../context/registry.ts";
import { inMemoryItems } from "../../items/in-memory.ts";
import { loadFramework } from "./load-framework.ts";
import { routesOf } from "./routes.ts";
import { serveHttp, type HttpService } from "./serve.ts";

/** The REST API of a startup plan, listening. The realtime entrypoints serve it beside their own. */
export async function startHttp(plan: StartupPlan, listen: { host: string; port: number }): Promise<HttpService> {
  const createApplication = await loadFramework(plan.httpFramework);
  const contexts = new ContextRegistry();
  const items = inMemoryItems();
  const { entrypoint, httpFramework } = plan;
  const routes = routesOf({ entrypoint, httpFramework, items, contexts });
  const service = await serveHttp(await createApplication(routes), routes, contexts, listen);
  return {
    ...service,
    async close() {
      await service.close();
      await items.close();
    },
  };
}
