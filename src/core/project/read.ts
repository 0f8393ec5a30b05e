import { keyIssues, reference, duplicateSpellings, type FactFinding } from "./facts/consistency.ts";
import { completeKeys, readFact, type Fact } from "./facts/read.ts";
import { withAccepted } from "../findings/rule.ts";
import { mapValues, ownMember } from "../words/record.ts";
import { parseYaml } from "../yaml/parse.ts";
import { omitUndefined } from "../api/omit-undefined.ts";
import {
  logSettings,
  type AlertSettings,
  type EcosystemSource,
  type EnvSource,
  type NatsProject,
  type Project,
  type Service,
} from "./project.ts";
import { toDeploySettings } from "./deploy-settings.ts";
import type { HasFacts } from "./port-repository.ts";
import { projectSchema, type DeclaredProject, type DeclaredService } from "./schema.ts";
import { resolvePath } from "./resolve.ts";

export function readProject(text: string, file: string): Fact<Project> {
  const fact = readFact(parseYaml(text, file), projectSchema, projectIssues);
  return fact.value === undefined ? fact : { value: toProject(fact.value), issues: [] };
}

const SERVICE_MEMBERS = ["folder", "ecosystem", "apps", "env", "template", "rollout", "code"] as const;

function projectIssues(declared: DeclaredProject): FactFinding[] {
  const names = Object.keys(declared.environments);
  return [
    ...(names.length === 0 ? [{ path: ["environments"], message: "environments: declare at least one" }] : []),
    ...duplicateSpellings(mapValues(declared.environments, (aliases) => ({ aliases }))).map((finding) => ({
      ...finding,
      path: finding.path.filter((step) => step !== "aliases"),
    })),
    ...(declared.default === undefined ? [] : reference(["default"], declared.default, names)),
    ...mixedFormIssues(declared),
    ...environmentIssues([], declared, names),
    ...Object.entries(declared.services ?? {}).flatMap(([name, service]) =>
      environmentIssues(["services", name], service, names),
    ),
    ...limitIssues(declared, names),
    ...keyOfTwoIssues(declared),
    ...contradictions(toServices(declared)),
    ...keyIssues(declared.keys ?? {}),
    ...guessIssues(declared.keys ?? {}),
  ];
}

/** Named services, or the members of the only service at the top level. */
function mixedFormIssues(declared: DeclaredProject): FactFinding[] {
  if (declared.services === undefined) return [];
  const none = { path: ["services"], message: "services: declare at least one, or leave the member out" };
  const misplaced = SERVICE_MEMBERS.filter((member) => declared[member] !== undefined).map((member) => ({
    path: [member],
    message: `${member}: with services, each service has its own ${member}; move it below its name`,
  }));
  return Object.keys(declared.services).length === 0 ? [none, ...misplaced] : misplaced;
}

function environmentIssues(
  path: readonly string[],
  { ecosystem = {}, env = {} }: DeclaredService,
  names: readonly string[],
): FactFinding[] {
  return Object.entries({ ecosystem, env }).flatMap(([member, map]) =>
    Object.keys(map).flatMap((name) => reference([...path, member, name], name, names)),
  );
}

/** With a key of two names, the NATS server does not start. */
function keyOfTwoIssues({ nats }: DeclaredProject): FactFinding[] {
  const owners = new Map<string, string>();
  return (["users", "nodes"] as const).flatMap((kind) =>
    Object.entries(nats?.[kind] ?? {}).flatMap(([name, { nkey }]) => {
      const owner = nkey && owners.get(nkey);
      if (nkey) owners.set(nkey, `nats.${kind}.${name}`);
      const path = ["nats", kind, name, "nkey"];
      const message = `${path.join(".")}: it is the key of ${owner} too; svcm nats key creates another one`;
      return owner === undefined ? [] : [{ path, message }];
    }),
  );
}

function limitIssues({ nats, services = {} }: DeclaredProject, names: readonly string[]): FactFinding[] {
  return Object.entries(nats?.users ?? {}).flatMap(([user, limits]) => [
    ...(limits.environments ?? []).flatMap((name, at) =>
      reference(["nats", "users", user, "environments", at], name, names),
    ),
    ...(limits.services ?? []).flatMap((name, at) =>
      reference(["nats", "users", user, "services", at], name, Object.keys(services)),
    ),
  ]);
}

/** A guess may make a key readable, but never editable. */
function guessIssues(keys: NonNullable<DeclaredProject["keys"]>): FactFinding[] {
  return Object.entries(keys).flatMap(([key, { guess, tier }]) =>
    guess !== undefined && tier === "editable"
      ? [
          {
            path: ["keys", key, "tier"],
            ...withAccepted(
              `keys.${key}.tier: a guess is never editable; confirm the key first, with svcm keys confirm ${key}`,
              ["read-only", "never-exposed"],
            ),
          },
        ]
      : [],
  );
}

function toProject(declared: DeclaredProject): Project {
  const { environments, keys, alerts } = declared;
  const names = Object.keys(environments);
  const entries = Object.entries(keys ?? {});
  return {
    environments: mapValues(environments, (aliases) => ({ aliases })),
    defaultEnvironment: declared.default ?? names[0] ?? "",
    hasDefault: declared.default !== undefined || names.length === 1,
    undecided: declared.undecided ?? [],
    pm2Home: declared.pm2Home,
    folders: declared.folders ?? [],
    logFolders: declared.logFolders ?? [],
    logs: toLogs(declared),
    services: toServices(declared),
    nats: declared.nats && toNats(declared.nats),
    keys: keys && completeKeys(keys),
    guesses: Object.fromEntries(entries.flatMap(([key, { guess }]) => (guess === undefined ? [] : [[key, guess]]))),
    record: declared.record ?? false,
    deploy: deployOf(declared),
    alerts: alerts && { ...NO_ALERTS, ...omitUndefined(alerts) },
  };
}

function deployOf({ deploy }: Pick<DeclaredService, "deploy">): Service["deploy"] {
  return deploy && toDeploySettings(deploy);
}

function toLogs({ logs }: DeclaredProject): Project["logs"] {
  return logs && logSettings(logs);
}

const NO_ALERTS: AlertSettings = {
  webhook: undefined,
  webhookSecret: undefined,
  command: undefined,
  heartbeat: undefined,
  rules: {},
};

function toNats({ url, users, nodes, events = {}, replicas = 1 }: NonNullable<DeclaredProject["nats"]>): NatsProject {
  return {
    servers: [url].flat(),
    users,
    nodes: mapValues(nodes, ({ nkey, labels = {} }) => ({ nkey, labels })),
    events,
    replicas,
  };
}

function toServices(declared: DeclaredProject): Project["services"] {
  // At the top level, `deploy` is that of the whole checkout, with or without named services.
  return declared.services
    ? mapValues(declared.services, toService)
    : { "": toService({ ...declared, deploy: undefined }) };
}

function toService({
  folder = ".",
  ecosystem = {},
  apps,
  env = {},
  template,
  rollout,
  code,
  deploy,
}: DeclaredService): Service {
  return {
    folder,
    ecosystem: mapValues(ecosystem, (source) => [source].flat().map(toEcosystemSource)),
    apps,
    env: mapValues(env, toEnvSource),
    template,
    rollout,
    code: { include: code?.include ?? [], exclude: code?.exclude ?? [] },
    deploy: deployOf({ deploy }),
  };
}

type DeclaredEcosystem = NonNullable<DeclaredService["ecosystem"]>[string];

function toEcosystemSource(source: Exclude<DeclaredEcosystem, readonly unknown[]>): EcosystemSource {
  if (typeof source === "string") return { file: source, cwd: undefined, env: undefined, only: undefined };
  return { file: source.file, cwd: source.cwd, env: source.env, only: source.only };
}

function toEnvSource(source: NonNullable<DeclaredService["env"]>[string]): EnvSource {
  if (typeof source === "string") return { layers: [source], encrypted: undefined };
  if (Array.isArray(source)) return { layers: source, encrypted: undefined };
  return { layers: [source.file], encrypted: source.encrypted };
}

interface Claim {
  readonly at: readonly (string | number)[];
  readonly file: string;
  readonly path: string;
  readonly cwd: string;
  readonly env: string | undefined;
  /** `undefined` for the whole file. */
  readonly apps: readonly string[] | undefined;
}

/** The checked text has no place on a disk; `..` has to stay inside this one. */
const ROOT = "/1/2/3/4/5/6/7/8/9";

/**
 * One environment starts an app of a file in one way. Two equal entries are one (see `sourcesOf`); two that start the
 * same app in different folders, or with different `--env`, contradict each other.
 */
export function contradictions(services: Project["services"]): FactFinding[] {
  const environments = new Set(Object.values(services).flatMap(({ ecosystem }) => Object.keys(ecosystem)));
  return [...environments].flatMap((environment) => {
    const claims = Object.entries(services).flatMap(([name, service]) => claimsOf(name, service, environment));
    return claims.flatMap((claim, index) => {
      const other = claims.slice(0, index).find((earlier) => isContradiction(earlier, claim));
      return other === undefined ? [] : [{ path: claim.at, message: describe(claim, other) }];
    });
  });
}

function claimsOf(name: string, { folder, ecosystem, apps }: Service, environment: string): Claim[] {
  const base = resolvePath(ROOT, folder);
  const sources = ownMember(ecosystem, environment) ?? [];
  return sources.map(({ file, cwd = ".", env, only }, index) => ({
    at: [...(name === "" ? [] : ["services", name]), "ecosystem", environment, ...(sources.length > 1 ? [index] : [])],
    file,
    path: resolvePath(base, file),
    cwd: resolvePath(base, cwd),
    env,
    apps: only ?? apps,
  }));
}

/** Two whole files in different folders may name their apps after the folder. */
function isContradiction(one: Claim, other: Claim): boolean {
  if (one.path !== other.path || (one.cwd === other.cwd && one.env === other.env)) return false;
  const named = one.apps ?? other.apps;
  if (named === undefined) return one.cwd === other.cwd;
  return named.some((name) => (one.apps ?? named).includes(name) && (other.apps ?? named).includes(name));
}

function describe(claim: Claim, other: Claim): string {
  const names = (claim.apps ?? other.apps ?? []).filter((name) => (other.apps ?? [name]).includes(name));
  const who = names.length === 0 ? `apps of ${claim.file}` : `${names.join(", ")} of ${claim.file}`;
  const [here, there] =
    claim.env === other.env
      ? ["in another folder", `${other.at.join(".")} starts them`]
      : [startText(claim), `${other.at.join(".")} starts them ${startText(other)}`];
  return `${claim.at.join(".")}: ${who} would start twice, here ${here}, while ${there}; keep one of the two entries`;
}

function startText({ env }: Claim): string {
  return env === undefined ? "without --env" : `with --env ${env}`;
}

/**
 * False if `svcm.yaml` is broken: processes and host are shown without it, too, and only what it declares is then unknown.
 * @param limits of the caller: without `svcm.yaml`, nothing shows what they permit, so such a caller needs it
 */
export async function needsProject({ facts }: HasFacts, limits: object | undefined): Promise<boolean> {
  if (limits !== undefined) return true;
  return await facts.project().then(
    () => true,
    () => false,
  );
}
