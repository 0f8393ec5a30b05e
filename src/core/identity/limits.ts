import { inputs, type InputOf, type OperationId } from "../api/inputs.ts";
import type { Access, Identity, Limits } from "../caller.ts";
import { declaredApps } from "../pm2/declared.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import { resolveTarget } from "../pm2/control/target.ts";
import type { Ports } from "../ports/index.ts";
import { chooseServices, ecosystemSpellings, envSpellings } from "../project/resolve.ts";
import { beyondLimits } from "./refusals.ts";

interface Checked {
  readonly id: OperationId;
  readonly access: Access;
}

type Limited = Identity & { readonly limits?: Limits };

interface Place {
  readonly environment?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly service?: string | undefined;
}

/**
 * A read that concerns the whole machine is permitted. Any other operation that does not name its environment is
 * refused.
 * @throws {SvcmError} FORBIDDEN with the code TOKEN_LIMITED
 */
export async function requireWithin(ports: Ports, operation: Checked, input: unknown, caller: Limited): Promise<void> {
  const { limits = {} } = caller;
  const refuse = (asked: string): never => {
    throw beyondLimits(caller, limits, asked);
  };
  const members = membersOf(operation.id);
  if (!members.includes("service")) {
    if (operation.access !== "read") refuse("the whole repository or machine");
    return;
  }
  const place = input as Place;
  if (limits.environments !== undefined) {
    const asked = members.includes("environment") ? [place.environment] : [place.from, place.to];
    const names = await namesOf(ports, asked);
    const outside = names.find((name) => !limits.environments?.includes(name));
    if (outside !== undefined) refuse(`the environment ${outside}`);
  }
  if (limits.services !== undefined) {
    const services = chooseServices(await ports.facts.project(), place.service).map(({ name }) => name);
    const outside = services.find((name) => !limits.services?.includes(name));
    if (outside !== undefined || services.length === 0)
      refuse(outside ? `the service ${outside}` : "a repository without services");
  }
  if (operation.id === "process.act") await requireDeclared(ports, input as InputOf<"process.act">, refuse);
}

/** Every request that concerns an environment or a service has the member `service`. */
function membersOf(id: Checked["id"]): string[] {
  const schema = inputs[id];
  return "shape" in schema ? Object.keys(schema.shape) : [];
}

/** Canonical. The operation itself refuses an unknown name. */
async function namesOf({ facts, workspace }: Ports, asked: readonly (string | undefined)[]): Promise<string[]> {
  const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
  const given = asked.map((one) =>
    (one ?? (workspace.nodeEnv?.trim() || contract.defaultEnvironment)).trim().toLowerCase(),
  );
  const spellings = [envSpellings(contract), ecosystemSpellings(contract, matrix)];
  return given.flatMap((one) => spellings.flatMap((names) => names.get(one) ?? []));
}

/** PM2 runs the processes of all environments side by side; the ecosystem file decides which of them belong to one. */
async function requireDeclared(
  ports: Ports,
  { scope = "process", ...asked }: InputOf<"process.act">,
  refuse: (asked: string) => never,
): Promise<void> {
  if (scope === "ecosystem") return;
  const { loaded } = await readEcosystem(ports, asked);
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const own = new Set(loaded === undefined ? [] : declaredApps(loaded, machine).map(({ name }) => name));
  const other = resolveTarget(await ports.processes.list(), { ...asked, scope }).find(({ name }) => !own.has(name));
  if (other !== undefined) refuse(`the process ${JSON.stringify(other.name)}, which its environment does not declare`);
}
