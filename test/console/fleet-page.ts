/** A real NATS server, web-1 with a real PM2, web-2 with the console, and db-1, which is unavailable. */
import { join } from "node:path";
import { nodePorts } from "../../src/core/index.ts";
import { connectFleet } from "../../src/fleet/index.ts";
import { testFleet, type TestFleet } from "../fleet/support.ts";
import { testServer, type ServerOptions, type TestServer } from "../server/support.ts";
import type { Pm2 } from "../support/pm2-daemon.ts";
import type { WhenOver } from "../support/temporary-folder.ts";

export interface FleetWorld {
  readonly fleet: TestFleet;
  /** The server of web-2, which sends requests to other nodes with the key of the user. */
  server(user?: string, options?: ServerOptions): Promise<TestServer>;
}

/** @param NODE_ENV for web-1 */
export async function fleetWorld(real: Pm2, whenOver: WhenOver, NODE_ENV = "dev"): Promise<FleetWorld> {
  const fleet = await testFleet({ whenOver, environments: { dev: ["development"], staging: [], production: [] } });
  const env = {
    NODE_ENV,
    PM2_HOME: real.home,
    SVC_SERVICE_MANAGEMENT_PM2_DIR: `${real.folder}/pm2`,
  };
  const ports = nodePorts({ root: fleet.root("web-1"), env, cwd: fleet.root("web-1") });
  await fleet.start("web-1", { world: () => ports });
  await fleet.start("web-2");
  return {
    fleet,
    server: (user = "edda", options = {}) => {
      const key = fleet.variables(user)["SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS"];
      const variables = { ...fleet.variables("web-2"), SVC_SERVICE_MANAGEMENT_NATS_USER_CREDENTIALS: key };
      const root = fleet.root("web-2");
      const files = {
        root,
        envFile: (name: string) => join(root, `.env.${name}`),
        auditFile: join(root, ".svcm/audit.jsonl"),
      };
      return testServer({
        repository: files,
        connectFleet: () => connectFleet(fleet.ports("web-2"), variables),
        ...options,
      });
    },
  };
}
