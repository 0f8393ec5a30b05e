/** A limited caller may see the text of some processes only: log lines, last errors, and all that quotes them. */
import type { InputOf, OperationId } from "./api/inputs.ts";
import type { Limits } from "./api/rights.ts";
import { environmentsWithEcosystem } from "./pm2/declared.ts";
import { readEcosystem } from "./pm2/ecosystem-file.ts";
import { normaliseApp } from "./pm2/normalise.ts";
import type { Ports } from "./ports.ts";
import { readAppliedState } from "./rollout/port-releases.ts";
import { ownMember } from "./words/record.ts";

/** By operation, the processes whose text it shows. Without a name, it would show the text of any. */
const namesByOperation: {
  readonly [Id in OperationId]?: (input: InputOf<Id>) => readonly string[];
} = {
  "event.why": ({ name }) => listNames(name),
  "logs.read": ({ app, apps = [] }) => [...listNames(app), ...apps],
  "process.show": ({ name }) => [name],
};

/** `undefined` for an operation that shows no text of processes. */
export function shownProcesses(id: OperationId, input: unknown): readonly string[] | undefined {
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
export function textRefusal(
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

export async function readMemberships(ports: Ports): Promise<Parameters<typeof textRefusal>[2]> {
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
