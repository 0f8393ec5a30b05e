import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { type HasReleases, readAppliedState } from "./ports.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { Caller } from "../access/operation.ts";
import { SvcmError } from "../api/errors.ts";

import type { EnvironmentRequest } from "../project/resolve.ts";
import type { AppliedState } from "./release.ts";

export interface MachineEnvironment {
  readonly environment: string;
  readonly by: "apply" | "init";
}

/**
 * Without an environment in the request or in `NODE_ENV`, that of the machine. So a forgotten flag does not make
 * production run as dev.
 */
export async function withMachineEnvironment<Request extends EnvironmentRequest>(
  ports: HasFacts & HasProcesses & HasReleases & HasWorkspace,
  request: Request,
  { limits }: { readonly limits?: Caller["limits"] },
): Promise<Request> {
  // The limits of a token were checked for the request as it is.
  if (limits !== undefined) return request;
  if (request.environment !== undefined || (ports.workspace.nodeEnv ?? "").trim() !== "") return request;
  const known = await readMachineEnvironment(ports, request.service);
  if (known?.by === "init") await requireDeclared(ports, known.environment);
  return known === undefined ? request : { ...request, environment: known.environment };
}

/** For files of an environment. The specification decides what its own requests mean without one. */
export async function forMachine<Request extends EnvironmentRequest>(
  ports: HasFacts & HasProcesses & HasReleases & HasWorkspace,
  request: Request,
  caller: Pick<Caller, "limits" | "source">,
): Promise<Request> {
  const isSpecified = caller.source === "http" || caller.source === "ws";
  if (isSpecified || (await ports.facts.project()) === undefined) return request;
  return withMachineEnvironment(ports, request, caller);
}

/** An apply is stronger than the record of `svcm init`. */
export async function readMachineEnvironment(
  ports: HasProcesses & HasReleases,
  service?: string,
): Promise<MachineEnvironment | undefined> {
  const applied = await readApplied(ports, service);
  if (applied !== undefined) return { environment: applied, by: "apply" };
  const recorded = await ports.releases.recordedEnvironment();
  return recorded === undefined ? undefined : { environment: recorded, by: "init" };
}

async function readApplied(
  ports: HasProcesses & HasReleases,
  service: string | undefined,
): Promise<string | undefined> {
  const { apps } = await readAppliedState(ports);
  if (Object.keys(apps).length === 0) return undefined;
  // If all apps have one environment, it does not matter which of them run.
  const only = findCommonEnvironment(apps, new Set(), service);
  if (only !== undefined) return only;
  // If PM2 does not answer, the last apply still shows the environment.
  const listed = await ports.processes.list().catch((error: unknown) => {
    if (error instanceof SvcmError) return [];
    throw error;
  });
  const running = new Set(listed.map(({ name }) => name));
  return findCommonEnvironment(apps, running, service);
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

/** The user typed no name, so the refusal says where it comes from. */
async function requireDeclared({ facts }: HasFacts, environment: string): Promise<void> {
  const names = Object.keys((await facts.project())?.environments ?? { [environment]: {} });
  if (names.includes(environment)) return;
  throw new SvcmError("INVALID_ENVIRONMENT", {
    details: `svcm init recorded this machine as ${JSON.stringify(environment)}, which svcm.yaml does not declare. Accepted: ${names.join(", ")}.`,
    hint: `svcm init --machine-environment ${names[0] ?? "NAME"}`,
  });
}
