import type { Limits } from "./api/rights.ts";
import { type InputOf, type OperationId, inputs } from "./api/inputs.ts";
import type { Access, Caller, Identity } from "./access/operation.ts";
import { SvcmError } from "./api/errors.ts";
import { declaredApps, environmentsWithEcosystem } from "./pm2/declared.ts";
import { readEcosystem } from "./pm2/ecosystem-file.ts";
import { resolveTarget } from "./pm2/target.ts";
import type { Ports } from "./ports.ts";
import { beginningOf, findRelease } from "./rollout/apply/rollback-plan.ts";
import { toJournals } from "./rollout/release.ts";
import { findRolloutRelease } from "./rollout/apply/recording.ts";
import { chooseServices, ecosystemSpellings, envSpellings } from "./project/resolve.ts";
import { limitRefusal } from "./access/rights.ts";
import { normaliseApp } from "./pm2/normalise.ts";
import { readAppliedState } from "./rollout/ports.ts";
import { ownMember } from "./words/record.ts";

interface CheckedOperation {
  readonly id: OperationId;
  readonly access: Access;
}

type LimitedCaller = Identity & Pick<Caller, "step">;

interface RequestScope {
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
export async function requireWithinLimits(
  ports: Ports,
  operation: CheckedOperation,
  input: unknown,
  caller: LimitedCaller,
): Promise<void> {
  const { limits = {} } = caller;
  const refuse = (requested: string): never => {
    throw limitRefusal(caller, limits, requested);
  };
  const shown = shownProcesses(operation.id, input);
  if (shown !== undefined) await requireOwnText(ports, shown, limits, refuse);
  if (operation.id === "rollout.rollback")
    return await requireOwnRelease(ports, input as InputOf<"rollout.rollback">, caller, refuse);
  const { scope, members } = await readScope(ports, operation.id, input);
  // The processes that a read of text names are its whole scope.
  if (shown !== undefined && !members.includes("service")) return;
  if (!members.includes("service")) {
    if (operation.access !== "read") refuse("the whole repository or machine");
    return;
  }
  await requireScope(ports, scope, limits, { members, refuse });
  if (operation.id === "process.act") await requireDeclaredProcesses(ports, input as InputOf<"process.act">, refuse);
}

type Refuse = (requested: string) => never;

async function requireScope(
  ports: Ports,
  scope: RequestScope,
  limits: Limits,
  { members, refuse }: { readonly members: readonly string[]; readonly refuse: Refuse },
): Promise<void> {
  if (limits.environments !== undefined) {
    const requested = members.includes("environment") ? [scope.environment] : [scope.from, scope.to];
    const names = await canonicalNames(ports, requested);
    const outside = names.find((name) => !limits.environments?.includes(name));
    if (outside !== undefined) refuse(`the environment ${outside}`);
  }
  if (limits.services !== undefined) {
    const services = chooseServices(await ports.facts.project(), scope.service).map(({ name }) => name);
    const outside = services.find((name) => !limits.services?.includes(name));
    if (outside !== undefined || services.length === 0)
      refuse(outside ? `the service ${outside}` : "a repository without services");
  }
}

async function requireOwnText(ports: Ports, names: readonly string[], limits: Limits, refuse: Refuse): Promise<void> {
  if (names.length === 0) refuse("the text of every process; name one");
  const memberships = await readMemberships(ports).catch((error: unknown) => {
    if (!(error instanceof SvcmError)) throw error;
    return refuse("a process whose environment is not known, because a declaration cannot be read");
  });
  for (const name of names) {
    const requested = textRefusal(name, limits, memberships);
    if (requested !== undefined) refuse(requested);
  }
}

/** The environment of a release is in its record. Without a name or a plan, the operation could find a newer one. */
async function requireOwnRelease(
  ports: Ports,
  { release, plan }: InputOf<"rollout.rollback">,
  { limits = {}, step }: LimitedCaller,
  refuse: Refuse,
): Promise<void> {
  if (step === undefined && release === undefined && plan === undefined)
    refuse("the newest release of the whole machine; name a release");
  const lists = await ports.releases.list();
  const found = (step === undefined ? findRelease(lists, release) : findRolloutRelease(lists, step))?.head;
  if (found === undefined) return;
  const head = beginningOf(toJournals(lists), found);
  if (limits.environments?.includes(head.environment) === false) refuse(`the environment ${head.environment}`);
  const apps = head.steps.flatMap(({ app }) => app ?? []);
  if (limits.services !== undefined) await requireOwnText(ports, apps, limits, refuse);
}

interface ScopeOfRequest {
  readonly scope: RequestScope;
  readonly members: readonly string[];
}

/** A request with the id of a proposal concerns its environment. The operation refuses an id that does not exist. */
async function readScope({ proposals }: Ports, operation: OperationId, input: unknown): Promise<ScopeOfRequest> {
  const isById = ["proposal.approve", "proposal.deny", "proposal.run"].includes(operation);
  if (!isById) return { scope: input as RequestScope, members: inputMembers(operation) };
  const { id } = input as { readonly id: string };
  const all = await (await proposals()).read();
  const proposal = all.find((one) => one.id === id.toUpperCase());
  return { scope: proposal ?? {}, members: proposal === undefined ? [] : ["service", "environment"] };
}

/** Every request that concerns an environment or a service has the member `service`. */
function inputMembers(id: CheckedOperation["id"]): string[] {
  const schema = inputs[id];
  return "shape" in schema ? Object.keys(schema.shape) : [];
}

async function canonicalNames(
  { facts, workspace }: Ports,
  requested: readonly (string | undefined)[],
): Promise<string[]> {
  const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
  const names = requested.map((name) =>
    (name ?? (workspace.nodeEnv?.trim() || contract.defaultEnvironment)).trim().toLowerCase(),
  );
  const spellings = [envSpellings(contract), ecosystemSpellings(contract, matrix)];
  return names.flatMap((name) => spellings.flatMap((canonical) => canonical.get(name) ?? []));
}

/** PM2 runs the processes of all environments side by side; the ecosystem file decides which of them belong to one. */
async function requireDeclaredProcesses(
  ports: Ports,
  { scope = "process", ...request }: InputOf<"process.act">,
  refuse: Refuse,
): Promise<void> {
  if (scope === "ecosystem") return;
  const { loaded } = await readEcosystem(ports, request);
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const own = new Set(loaded === undefined ? [] : declaredApps(loaded, machine).map(({ name }) => name));
  const other = resolveTarget(await ports.processes.list(), { ...request, scope }).find(({ name }) => !own.has(name));
  if (other !== undefined) refuse(`the process ${JSON.stringify(other.name)}, which its environment does not declare`);
}

/**
 * By operation, the processes whose text it shows: log lines, last errors, and all that quotes them. A limited caller may
 * see that of some processes only. Without a name, it would show the text of any.
 */
const namesByOperation: {
  readonly [Id in OperationId]?: (input: InputOf<Id>) => readonly string[];
} = {
  "event.why": ({ name }) => listNames(name),
  "logs.read": ({ app, apps = [] }) => [...listNames(app), ...apps],
  "process.show": ({ name }) => [name],
};

/** `undefined` for an operation that shows no text of processes. */
function shownProcesses(id: OperationId, input: unknown): readonly string[] | undefined {
  const namesOf = namesByOperation[id] as ((input: unknown) => readonly string[]) | undefined;
  return namesOf?.(input);
}

function listNames(name: string | undefined): string[] {
  return name === undefined ? [] : [name];
}

/** Of a declaration, or of the last apply. */
export interface Membership {
  readonly name: string;
  readonly environment: string;
  readonly service: string | undefined;
}

/**
 * `undefined` if the limits permit the text of the process. An apply decides where its process belongs. Without one,
 * every environment and service that declares the name must be permitted: one machine may run any of them.
 */
function textRefusal(
  name: string,
  limits: Limits,
  { applied, declared }: { readonly applied: readonly Membership[]; readonly declared: readonly Membership[] },
): string | undefined {
  const isOfName = (one: Membership): boolean => one.name === name;
  const last = applied.find(isOfName);
  const owners = last === undefined ? declared.filter(isOfName) : [last];
  const subject = `the process ${JSON.stringify(name)}`;
  if (owners.length === 0) return `${subject}, which no environment declares`;
  const other = owners.find((owner) => !isPermitted(owner, limits));
  if (other === undefined) return undefined;
  const service = other.service === undefined || other.service === "" ? "" : ` of the service ${other.service}`;
  return `${subject}${service} of the environment ${other.environment}`;
}

export function isPermitted(
  { environment, service }: Omit<Membership, "name">,
  { environments, services }: Limits,
): boolean {
  const isService = services === undefined || (service !== undefined && services.includes(service));
  return isService && (environments === undefined || environments.includes(environment));
}

async function readMemberships(ports: Ports): Promise<Parameters<typeof textRefusal>[2]> {
  const { apps } = await readAppliedState(ports);
  const applied = Object.keys(apps).flatMap((name): Membership[] => {
    const { environment, service } = ownMember(apps, name) ?? {};
    return environment === undefined ? [] : [{ name, environment, service }];
  });
  const environments = await environmentsWithEcosystem(ports);
  const declared = await Promise.all(environments.map((environment) => readDeclared(ports, environment)));
  return { applied, declared: declared.flat() };
}

async function readDeclared(ports: Ports, environment: string): Promise<Membership[]> {
  const { loaded } = await readEcosystem(ports, { environment });
  return (loaded?.apps ?? []).flatMap(({ fields, start }) => {
    const { name } = normaliseApp(fields);
    return name === undefined ? [] : [{ name, environment, service: start?.service }];
  });
}
