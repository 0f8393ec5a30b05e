import type { InputOf } from "../api/inputs.ts";
import type { Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import { visibleKeys } from "../env/tiers.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { listOrNone } from "../pm2/control/known.ts";
import { refusalOf } from "../pm2/control/refusals.ts";
import { notFound } from "../pm2/control/target.ts";
import { declarationOf } from "../pm2/declaration.ts";
import { withheldIssues } from "../pm2/rules/file.ts";
import { readEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { isOwn } from "../pm2/own.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import { ecosystemSpellings, spellingsOf } from "../project/environment.ts";
import type { PlaceRequest } from "../project/places.ts";
import { defined } from "../words/defined.ts";
import { decide, withoutOwn, type Decision } from "./decide.ts";
import { expectedApps, type ExpectedApp, type Expecting } from "./expected.ts";
import { filesNow } from "./files.ts";
import { gitState } from "./git-state.ts";
import { planOf, type PlanContext } from "./plan.ts";
import { resultOf } from "./result.ts";
import { leftNow } from "./left-now.ts";
import type { Left } from "./release.ts";
import { readRevision } from "./revision.ts";
import type { AppProbe } from "./settings/probe.ts";
import { readProbes, readSettings, servicesIn, type ServiceOf, type SettingsOf } from "./settings/read.ts";

interface Facts {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

/** A plan with what it was computed from. It holds values of declarations, so it never leaves the process. */
export interface Planned extends Pick<RolloutFacts, "settingsOf" | "serviceOf" | "probes" | "left"> {
  readonly plan: Plan;
  readonly decision: Decision;
  readonly content: EcosystemContent;
  readonly expecting: Expecting;
  readonly expected: readonly ExpectedApp[];
  /** The processes that the plan is about. */
  readonly running: readonly ProcessRecord[];
  /** Paths of the env files of the apps. */
  readonly envFiles: readonly string[];
}

/**
 * Computes the steps from what PM2 runs to what an ecosystem file declares; with `from`, from what the file declares at
 * a revision. Changes nothing, and starts no daemon.
 *
 * @param known the file, if it is read already
 * @throws {SvcmError} PROCESS_NOT_FOUND for an unknown app, PM2_FAILED, REVISION_FAILED, and those of reading the file
 */
export async function planned(
  ports: Ports,
  asked: InputOf<"rollout.plan">,
  known?: EcosystemContent | Promise<EcosystemContent>,
): Promise<Planned> {
  const { apps, from, prune, preflight, ...place } = asked;
  const { contract, matrix } = await readFacts(ports);
  // PM2 and Git answer while the file runs. A failure of the file comes first.
  const live = from === undefined ? begun(pm2Now(ports)) : undefined;
  const reading = known ?? readDeclared(ports, place);
  const revision = begun(gitState(ports, reading));
  const content = await reading;
  const before =
    live === undefined
      ? await revisionBefore(ports, { contract, matrix }, content, { ...place, revision: from ?? "" })
      : pm2Before(ports, { contract, matrix }, content, await live);
  const { environment, fileName, path, loaded } = content;
  const { expecting, context } = before;
  const rollout = await rolloutFacts(ports, loaded, expecting, from === undefined);
  const { left, probes, settingsOf, serviceOf } = rollout;
  const declared = loaded ? expectedApps(loaded, expecting) : [];
  const isAsked = selection(fileName, declared, apps);
  const expected = declared.filter(isAsked).map((app) => ({ ...app, probe: probes.get(app.name) }));
  const running = loaded ? before.running.filter(isAsked) : [];
  const names = expected.map(({ name }) => name);
  const facts = {
    expected,
    running,
    visibleKeys: new Set(visibleKeys(contract)),
    left: left.apps,
    ...filesNow(ports, expected, running),
  };
  const decided = decide(facts, {
    preflighted: new Set(names.filter((name) => preflight ?? settingsOf(name).preflight)),
    owned: ownedBy(left, content.name, place.service),
    prune: prune === true,
    isDumpStale: isDumpStale(ports, left),
  });
  const choices = defined({ service: place.service, apps, prune, preflight });
  const refused = refusedIn(content, names, expecting);
  const warnings = withheldIssues(loaded?.withheld ?? []);
  const exists = loaded !== undefined;
  const { leftOut, ...rest } = withoutOwn(decided, from === undefined ? ownApps(ports, running) : []);
  // Other processes that one service does not declare belong to the other services, or to none.
  const undeclared = rest.undeclared.filter(({ owned }) => owned || place.service === undefined);
  const decision = { ...rest, undeclared };
  const git = await revision;
  const about = { environment, fileName, path, exists, choices, git, refused, warnings, leftOut, ...context };
  const envFiles = [...new Set(expected.flatMap((app) => app.envFiles))];
  const plan = planOf(facts, decision, about);
  return { plan, decision, content, expecting, expected, running, envFiles, left, probes, settingsOf, serviceOf };
}

/** A failure is that of the one who waits for it later. */
function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

async function readFacts({ facts }: Ports): Promise<Facts> {
  const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
  return { contract, matrix };
}

/** The ecosystem file of a plan. @throws {SvcmError} as a plan */
export async function readDeclared(ports: Ports, place: PlaceRequest): Promise<EcosystemContent> {
  return readEcosystem(ports, await readFacts(ports), place);
}

interface RolloutFacts {
  readonly settingsOf: SettingsOf;
  readonly serviceOf: ServiceOf;
  readonly left: Left;
  readonly probes: ReadonlyMap<string, AppProbe>;
}

async function rolloutFacts(
  ports: Ports,
  loaded: LoadedEcosystem | undefined,
  { machine }: Expecting,
  hasProcesses: boolean,
): Promise<RolloutFacts> {
  const serviceOf = servicesIn(loaded);
  const settingsOf = await readSettings(ports, serviceOf);
  const probes = loaded ? await readProbes(ports, loaded, machine, settingsOf) : new Map<string, AppProbe>();
  const left = hasProcesses ? await leftNow(ports) : { apps: {} };
  return { settingsOf, serviceOf, probes, left };
}

/** Apps that an apply of this environment started. */
function ownedBy({ apps }: Left, environment: string, service: string | undefined): Set<string> {
  const own = Object.entries(apps).filter(
    ([, app]) => app.environment === environment && (service === undefined || app.service === service),
  );
  return new Set(own.map(([name]) => name));
}

/** A later save by a person counts. */
function isDumpStale({ stamps, workspace }: Ports, { unsavedAtMs }: Left): boolean {
  if (unsavedAtMs === undefined) return false;
  const [dump] = stamps.of([`${workspace.pm2Home}/dump.pm2`]);
  return (dump?.modifiedMs ?? 0) < unsavedAtMs;
}

function ownApps({ processes }: Ports, running: readonly ProcessRecord[]): string[] {
  const us = processes.own();
  return running.filter((record) => isOwn(record, us)).map(({ name }) => name);
}

/** The state that a plan starts from. */
interface Before {
  readonly expecting: Expecting;
  readonly running: readonly ProcessRecord[];
  readonly context: Pick<PlanContext, "pm2" | "from" | "digest">;
}

async function pm2Now({ processes }: Ports) {
  const { list, digest } = await processes.keyed();
  return { running: await listOrNone({ list }), digest };
}

function pm2Before(
  ports: Ports,
  facts: Facts,
  content: EcosystemContent,
  { running, digest }: Awaited<ReturnType<typeof pm2Now>>,
): Before {
  const pm2 = { home: ports.workspace.pm2Home };
  return { expecting: expectingFor(ports, facts, content, digest), running, context: { pm2, digest } };
}

async function revisionBefore(
  ports: Ports,
  facts: Facts,
  content: EcosystemContent,
  { revision, ...place }: PlaceRequest & { readonly revision: string },
): Promise<Before> {
  const { commit, loaded } = await readRevision(ports, facts, place, revision);
  const expecting = expectingFor(ports, facts, content, (value) => ports.processes.digest(value));
  const running = loaded ? resultOf(expectedApps(loaded, expecting)) : [];
  return { expecting, running, context: { pm2: null, from: { revision, commit } } };
}

function expectingFor(
  { host, workspace }: Ports,
  { contract, matrix }: Facts,
  { name }: EcosystemContent,
  digest: Expecting["digest"],
): Expecting {
  const machine = { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home };
  return { machine, spellings: spellingsOf(ecosystemSpellings(contract, matrix), name), digest };
}

/** @throws {SvcmError} PROCESS_NOT_FOUND for an app that the file does not declare */
function selection(
  fileName: string,
  declared: readonly { readonly name: string }[],
  asked: readonly string[] | undefined,
): (one: { readonly name: string }) => boolean {
  if (asked === undefined || asked.length === 0) return () => true;
  const names = declared.map(({ name }) => name);
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) throw notFound(`app of ${fileName} is called`, unknown, names);
  return ({ name }) => asked.includes(name);
}

function refusedIn(
  { loaded, path }: EcosystemContent,
  names: Iterable<string>,
  expecting: Expecting,
): Map<string, Issue> {
  return new Map(
    [...new Set(names)].flatMap((name): [string, Issue][] => {
      const error = loaded && refusalOf(declarationOf(loaded, name, expecting), path);
      if (error?.body.code === undefined) return [];
      const { code, details = error.message } = error.body;
      return [[name, { code, severity: "error", path: ["apps", name], message: details }]];
    }),
  );
}
