import { ownMember } from "../words/record.ts";
import type { Code, Issue } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import { didYouMean } from "../words/suggest.ts";
import { PROJECT_FILE, type Project, type Service, type UndecidedFile } from "./project.ts";
import type { CapabilityMatrix, RuntimeContract } from "../api/facts.ts";

export interface EnvironmentRequest {
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
}

export interface NamedService {
  readonly name: string;
  readonly service: Service;
}

/**
 * The name of the only service may be omitted.
 * @throws {SvcmError} INVALID_REQUEST with the code SERVICE_UNKNOWN or SERVICE_REQUIRED
 */
export function chooseService(project: Project | undefined, requested: string | undefined): NamedService | undefined {
  const services = Object.entries(project?.services ?? {});
  const [first] = services;
  if (requested === undefined) {
    if (services.length > 1)
      throw serviceRefusal("SERVICE_REQUIRED", "This repository has several services.", services);
    return first && { name: first[0], service: first[1] };
  }
  const found = services.find(([name]) => name === requested && name !== "");
  if (found) return { name: found[0], service: found[1] };
  const excerpt = JSON.stringify(requested.slice(0, 80));
  throw serviceRefusal("SERVICE_UNKNOWN", `No service has the name ${excerpt}.`, services, requested);
}

export function chooseServices(project: Project | undefined, requested: string | undefined): NamedService[] {
  if (requested === undefined)
    return Object.entries(project?.services ?? {}).map(([name, service]) => ({ name, service }));
  return [chooseService(project, requested)].flatMap((one) => one ?? []);
}

function serviceRefusal(
  code: Code,
  what: string,
  services: readonly (readonly [string, Service])[],
  requested?: string,
): SvcmError {
  const names = services.map(([name]) => name).filter(Boolean);
  const suggestion = requested === undefined ? undefined : didYouMean(requested, names);
  const hint = suggestion ?? "Name one of them with --service, or service= in a request.";
  return names.length === 0
    ? new SvcmError("INVALID_REQUEST", {
        code,
        details: `${what} This repository does not declare named services.`,
        hint: "Leave the service out, or declare services in svcm.yaml.",
      })
    : new SvcmError("INVALID_REQUEST", { code, details: `${what} Accepted: ${names.join(", ")}.`, hint });
}

export function findLayerUsers(project: Project | undefined, root: string, path: string): LayerUser[] {
  return chooseServices(project, undefined).flatMap(({ name, service: { folder, env } }) =>
    Object.entries(env).flatMap(([environment, { layers }]) =>
      layers.some((layer) => resolvePath(resolvePath(root, folder), layer) === path)
        ? [{ service: name, environment }]
        : [],
    ),
  );
}

export interface LayerUser {
  readonly service: string;
  readonly environment: string;
}

/** Does not expand `~`. */
export function resolvePath(folder: string, path: string): string {
  const parts = path.startsWith("/") ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.filter(Boolean).join("/")}`;
}

export interface Environment {
  /** As in the request: `development` stays `development`. */
  readonly environment: string;
  readonly name: string;
}

type Spellings = ReadonlyMap<string, string>;

export function envSpellings(contract: RuntimeContract): Spellings {
  const cached = spellingsByContract.get(contract);
  if (cached !== undefined) return cached;
  const environments = Object.entries(contract.environments);
  const spellings = new Map(
    environments.flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((spelling) => [spelling, name] as const)),
  );
  spellingsByContract.set(contract, spellings);
  return spellings;
}

/** Every request for an env file needs them, and a contract does not change. */
const spellingsByContract = new WeakMap<RuntimeContract, Spellings>();

export function ecosystemSpellings(contract: RuntimeContract, matrix: CapabilityMatrix): Spellings {
  const names = [...new Set([...matrix.pm2Profiles, ...Object.keys(contract.environments)])];
  const aliases = (name: string): string[] => [
    ...(ownMember(contract.environments, name)?.aliases ?? []),
    ...Object.entries(matrix.pm2ProfileAliases ?? {}).flatMap(([alias, of]) => (of === name ? [alias] : [])),
  ];
  const spellings = names.flatMap((name) => [name, ...aliases(name)].map((spelling) => [spelling, name] as const));
  // A name wins over an alias of another environment.
  return new Map([...spellings, ...names.map((name) => [name, name] as const)]);
}

export function spellingsOf(spellings: Spellings, name: string): string[] {
  return [...spellings].filter(([, of]) => of === name).map(([spelling]) => spelling);
}

/**
 * Without an environment in the request, `NODE_ENV`, else the contract's default.
 * @throws {SvcmError} INVALID_ENVIRONMENT for an unknown name, which is never coerced.
 * @see the specification, "Env file mapping" and "GET /api/runtime/pm2-ecosystem"
 */
export function resolveEnvironment(
  spellings: Spellings,
  contract: Pick<RuntimeContract, "defaultEnvironment">,
  requested: string | undefined,
  nodeEnv?: string,
): Environment {
  const spelling = requested ?? (nodeEnv?.trim() || contract.defaultEnvironment);
  const environment = spelling.trim().toLowerCase();
  const name = spellings.get(environment);
  if (name !== undefined) return { environment, name };
  const origin = requested === undefined ? " (from NODE_ENV)" : "";
  const accepted = [...spellings.keys()].join(", ");
  throw new SvcmError("INVALID_ENVIRONMENT", {
    details: `Unsupported environment ${JSON.stringify(spelling.slice(0, 80))}${origin}. Accepted: ${accepted}.`,
  });
}

/** While the user has not decided, plan and apply would act on half of the truth. */
export function undecidedIssues(undecided: readonly UndecidedFile[], environment: string): Issue[] {
  return undecided.flatMap(({ file, environment: only, why }, index): Issue[] => {
    if (only !== undefined && only !== environment) return [];
    const reason = why === undefined ? "" : `: ${why}`;
    const message = `${PROJECT_FILE} does not say whether ${environment} has ${file}${reason}. Name it below ecosystem or leave it out; then run: svcm init --confirm`;
    return [{ code: "LAYOUT_UNDECIDED", severity: "error", path: ["undecided", index], message }];
  });
}

/**
 * Several environments and no `default`: nothing says which one this machine is, and an apply of another one would, for
 * example, turn production into development. So what changes processes needs a name.
 * @throws {SvcmError} INVALID_ENVIRONMENT with the code ENVIRONMENT_REQUIRED
 */
export function requireEnvironment(
  project: Project | undefined,
  requested: string | undefined,
  nodeEnv: string | undefined,
): void {
  if (project === undefined || project.hasDefault || requested !== undefined || nodeEnv?.trim()) return;
  const started = new Set(Object.values(project.services).flatMap(({ ecosystem }) => Object.keys(ecosystem)));
  if (started.size < 2) return;
  throw new SvcmError("INVALID_ENVIRONMENT", {
    code: "ENVIRONMENT_REQUIRED",
    details: `svcm.yaml declares no default environment, and several start apps. Accepted: ${[...started].join(", ")}.`,
    hint: `Name the one of this machine with -e, or once for all: svcm init --machine-environment NAME`,
  });
}
