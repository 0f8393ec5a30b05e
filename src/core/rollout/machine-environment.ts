import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasReleases } from "./port-releases.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { Caller } from "../access/caller.ts";
import { listOrEmpty } from "../pm2/list.ts";

import type { EnvironmentRequest } from "../project/resolve.ts";
import type { AppliedState } from "./release.ts";
import { readAppliedState } from "./read-releases.ts";

/**
 * Without an environment in the request or in `NODE_ENV`, that of the last apply to this PM2. So a forgotten flag does
 * not make production run as dev.
 */
export async function withMachineEnvironment<Request extends EnvironmentRequest>(
  ports: HasProcesses & HasReleases & HasWorkspace,
  request: Request,
  { limits }: Pick<Caller, "limits">,
): Promise<Request> {
  // The limits of a token were checked for the request as it is.
  if (limits !== undefined) return request;
  if (request.environment !== undefined || (ports.workspace.nodeEnv ?? "").trim() !== "") return request;
  const { apps } = await readAppliedState(ports);
  if (Object.keys(apps).length === 0) return request;
  const running = new Set((await listOrEmpty(ports.processes)).map(({ name }) => name));
  const environment = findCommonEnvironment(apps, running, request.service);
  return environment === undefined ? request : { ...request, environment };
}

/** Apps that do not run any more count only if none runs, as after a reboot. */
export function findCommonEnvironment(
  apps: AppliedState["apps"],
  running: ReadonlySet<string>,
  service: string | undefined,
): string | undefined {
  const own = Object.entries(apps).filter(([, app]) => service === undefined || app.service === service);
  const live = own.filter(([name]) => running.has(name));
  const environments = new Set((live.length > 0 ? live : own).map(([, { environment }]) => environment));
  const [first] = environments;
  return environments.size === 1 ? first : undefined;
}
