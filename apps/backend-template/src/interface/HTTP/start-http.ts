import type { Backend } from "../../backend.ts";
import { loadFramework } from "./load-framework.ts";
import { createRoutes } from "./routes.ts";
import { serveHttp, type HttpService } from "./serve.ts";

/** The realtime entrypoints serve the REST API, too. */
export async function startHttp(backend: Backend, listen: { host: string; port: number }): Promise<HttpService> {
  const createApplication = await loadFramework(backend.plan.httpFramework);
  const routes = createRoutes(backend);
  const { contexts, allowedOrigins, authentication } = backend;
  const application = await createApplication(routes);
  return serveHttp(
    { application, routes, contexts, allowedOrigins, ...(authentication && { authentication }) },
    listen,
  );
}
