import { requireEnvironment, undecidedIssues } from "../project/resolve.ts";
import type { HasStamps, HasFiles, HasClock, HasRevisions } from "../files/ports.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasWorkspace, HasFacts } from "../project/port-repository.ts";
import type { CodeRequest, Uncommitted } from "../running/port-running-code.ts";
import { type HasReleases, type RolloutPorts, listDeployRoots, readAppliedState } from "./ports.ts";
import type { InputOf } from "../api/inputs.ts";
import type { Plan } from "../api/rollout.ts";
import { visibleKeys } from "../env/runtime-keys.ts";
import { nameNotFound } from "../pm2/target.ts";
import { repeatEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { isOwnProcess, type ProcessRecord } from "../pm2/process-record.ts";
import type { Issue } from "../api/issue.ts";
import { missingListIssues, withheldIssues } from "../pm2/rules/file.ts";
import { volatileIssues } from "../pm2/volatile.ts";

import { omitUndefined } from "../api/omit-undefined.ts";
import type { ComparisonInput } from "./compare.ts";
import { decide, leaveOutOwn, type Decision } from "./decide.ts";
import { isFailing } from "../running/symptoms.ts";
import { expectedApps, type ExpectedApp, type ExpectContext, readFileState } from "./expected.ts";
import type { AppliedState } from "./release.ts";
import { readStateOf } from "../running/read-states.ts";
import { plainState, type ProcessState, type StateOf } from "../running/state.ts";
import { findForeignRuns, findOtherCheckouts, findStartedEnvironments } from "./started-environment.ts";
import { createPlan, type PlanContext } from "./plan.ts";
import { deadDaemon, listConflicts, listRefusals, lostDaemonIssues, survivorIssues, unknownChanges } from "./notes.ts";
import { listUncommitted, PLAN_BUDGET_MS, readVerdicts, type Looked } from "./read-verdicts.ts";
import { gitIssues, readStates } from "./read-states.ts";
import {
  type AppProbe,
  readProbes,
  readSettings,
  createServiceLookup,
  type ServiceOf,
  type SettingsOf,
} from "./settings.ts";
import { stepNames } from "./step.ts";

/**
 * A plan and the data from which it was computed. It contains values of declarations, so it never leaves the process.
 */
export interface Planned extends Pick<RolloutContext, "settingsOf" | "serviceOf" | "probes" | "appliedState"> {
  readonly plan: Plan;
  readonly decision: Decision;
  readonly content: EcosystemContent;
  /** Also one without an app. */
  readonly hasDaemon: boolean;
  readonly expecting: ExpectContext;
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  /** Of them, those that do not stay up, by PM2's number. */
  readonly failing: ReadonlySet<number> | undefined;
  readonly envFiles: readonly string[];
  /** The code that the steps start. */
  readonly startedCode: readonly CodeRequest[];
  readonly uncommitted: Uncommitted;
}

/**
 * With `from`, the steps begin at what the file declares at that revision. Changes nothing and never starts a daemon.
 * @param preloaded the file, if it was already read
 * @param fresh apps whose processes have no variable of a former apply, because they were just started
 * @throws {SvcmError} PROCESS_NOT_FOUND for an unknown app, PM2_FAILED, REVISION_FAILED, and the errors of reading the
 * file
 */
export async function computePlan(
  ports: RolloutPorts,
  request: InputOf<"rollout.plan">,
  preloaded?: EcosystemContent | Promise<EcosystemContent>,
): Promise<Planned> {
  requireEnvironment(await ports.facts.project(), request.environment, ports.workspace.nodeEnv);
  const { content: read, start, git } = await readStates(ports, request, preloaded);
  const { expecting } = start;
  const context = await readRolloutContext(ports, read.loaded, expecting, request.from === undefined);
  const first = await compareContent(ports, request, { content: read, start, context });
  const isRepeated = first.steps.length === 0 || read.loaded?.apps.every(({ volatile }) => volatile !== undefined);
  const content = isRepeated ? read : await repeatEcosystem(ports, request, read, "review");
  const { name, loaded } = content;
  const { input, leftOut, code, ...decision } =
    content === read ? first : await compareContent(ports, request, { content, start, context });
  const { expected, running, failing } = input;
  const { service, apps, prune, preflight, restart } = request;
  const startedCode = findStartedCode(code, decision);
  const uncommitted = await listUncommitted(ports, startedCode);
  const plan = createPlan(input, decision, {
    ...placeOf(content),
    exists: loaded !== undefined,
    choices: omitUndefined({ service, apps, prune, preflight, restart }),
    git: withUncommitted(await git, uncommitted),
    startedAs: await readStartedAs(ports, request, name, { input, expecting, context }),
    code: code?.apps.map(({ app, fingerprint }) => [app, fingerprint] as const) ?? [],
    refused: listRefusals(content, expected, expecting, ports.workspace.root),
    undecided: [
      ...undecidedIssues((await ports.facts.project())?.undecided ?? [], name),
      ...missingListIssues(content),
      ...lostDaemonIssues(start.lost),
    ],
    conflicts: [
      ...listConflicts(content, start.running, expecting.machine.cpuCores),
      ...(await takenOver(ports, input, decision, request.from)),
    ],
    warnings: [
      ...deadDaemon(start.dead),
      ...unknownChanges(await git, uncommitted),
      ...findForeignRuns(ports, expected, startedApps(decision)),
      ...withheldIssues(loaded?.withheld ?? []),
    ],
    notes: [...survivorIssues(start.survivors, input, decision.steps), ...(await listNotes(ports, loaded, await git))],
    leftOut,
    ...start.context,
  });
  const envFiles = [...new Set(expected.flatMap((app) => app.envFiles))];
  const known = { expecting, expected, running, failing, envFiles, startedCode, uncommitted };
  return { plan, decision, content, hasDaemon: start.hasDaemon === true, ...known, ...context };
}

async function listNotes(ports: HasRevisions, loaded: LoadedEcosystem | undefined, git: Plan["git"]): Promise<Issue[]> {
  return [...(loaded ? volatileIssues(loaded.apps) : []), ...(await gitIssues(ports, git))];
}

function placeOf({ environment, name, fileName, path }: EcosystemContent) {
  return { environment, name, fileName, path };
}

async function readStartedAs(
  ports: RolloutPorts,
  { service, from }: InputOf<"rollout.plan">,
  environment: string,
  { input, expecting, context }: { input: ComparisonInput; expecting: ExpectContext; context: RolloutContext },
): Promise<PlanContext["startedAs"]> {
  if (from !== undefined) return undefined;
  const { expected, running } = input;
  const { apps: appliedApps } = context.appliedState;
  return findStartedEnvironments(ports, { environment, service, expected, running, appliedApps, expecting });
}

async function takenOver(
  ports: HasReleases & HasStamps & HasWorkspace,
  { expected, running }: ComparisonInput,
  { steps }: Pick<Decision, "steps">,
  from: string | undefined,
): Promise<ReturnType<typeof findOtherCheckouts>> {
  const names = new Set(from === undefined ? steps.flatMap(stepNames) : []);
  const touched = running.filter(({ name }) => names.has(name));
  return touched.length === 0 ? [] : findOtherCheckouts(ports, expected, touched, await listDeployRoots(ports));
}

function startedApps({ steps }: Pick<Decision, "steps">): ReadonlySet<string> {
  return new Set(steps.flatMap((step) => (step.do === "start" ? [step.app] : [])));
}

interface ReadContent extends Pick<Awaited<ReturnType<typeof readStates>>, "content" | "start"> {
  readonly context: RolloutContext;
}

async function compareContent(
  ports: RolloutPorts,
  request: InputOf<"rollout.plan">,
  { content, start, context }: ReadContent,
): Promise<
  ReturnType<typeof decideSteps> & { readonly input: ComparisonInput; readonly code: Looked["code"] | undefined }
> {
  const { name, fileName, loaded, contract } = content;
  const declared = loaded ? expectedApps(loaded, start.expecting) : [];
  const isSelected = createSelector(fileName, declared, request.apps);
  const expected = declared.filter(isSelected).map((app) => ({ ...app, probe: context.probes.get(app.name) }));
  const running = loaded ? start.running.filter(isSelected) : [];
  const looked =
    request.from === undefined && loaded
      ? await readVerdicts(ports, {
          content,
          expected,
          running,
          appliedApps: context.appliedState.apps,
          digest: start.expecting.digest,
          budgetMs: PLAN_BUDGET_MS,
        })
      : undefined;
  const stateOf =
    request.from === undefined ? await readStateOf(ports, start.running) : (): ProcessState => plainState("online");
  const input = {
    expected,
    running,
    values: looked?.values,
    verdicts: looked?.verdicts,
    visibleKeys: new Set(visibleKeys(contract)),
    appliedApps: context.appliedState.apps,
    stateOf,
    failing: listFailing(ports, running, stateOf),
    ...readFileState(ports, expected, running),
  };
  return { ...decideSteps(ports, { ...request, environment: name }, input, context), input, code: looked?.code };
}

function listFailing({ clock }: HasClock, running: readonly ProcessRecord[], stateOf: StateOf): ReadonlySet<number> {
  const nowMs = clock.now();
  return new Set(running.filter((record) => isFailing(record, nowMs, stateOf)).map(({ pmId }) => pmId));
}

function findStartedCode(code: Looked["code"] | undefined, { steps }: Pick<Decision, "steps">): readonly CodeRequest[] {
  const started = new Set(steps.filter(({ do: kind }) => kind !== "remove").map(({ app }) => app));
  return code?.requests.filter(({ app }) => started.has(app)) ?? [];
}

/** After a step, code would run that is not in any commit. */
function withUncommitted(git: Plan["git"], { paths }: Uncommitted): Plan["git"] {
  return git && { ...git, dirty: [...new Set([...git.dirty, ...paths])] };
}

function decideSteps(
  ports: HasProcesses & HasStamps & HasWorkspace,
  {
    environment,
    service,
    apps = [],
    from,
    prune,
    preflight,
    restart,
  }: InputOf<"rollout.plan"> & { readonly environment: string },
  input: ComparisonInput,
  { appliedState, settingsOf }: RolloutContext,
): ReturnType<typeof leaveOutOwn> {
  const names = input.expected.map(({ name }) => name);
  const decision = decide(input, {
    preflighted: new Set(names.filter((name) => preflight ?? settingsOf(name).preflight)),
    owned: listOwned(appliedState, environment, service),
    requested: new Set([...apps, ...(Array.isArray(restart) ? restart : [])]),
    prune: prune === true,
    isDumpStale: isDumpStale(ports, appliedState),
    ...(restart !== undefined && { restart }),
  });
  const { undeclared, ...rest } = leaveOutOwn(decision, from === undefined ? listOwnApps(ports, input.running) : []);
  // Other undeclared processes belong to other services, or to no service.
  return { ...rest, undeclared: undeclared.filter(({ owned }) => owned || service === undefined) };
}

interface RolloutContext {
  readonly settingsOf: SettingsOf;
  readonly serviceOf: ServiceOf;
  readonly appliedState: AppliedState;
  readonly probes: ReadonlyMap<string, AppProbe>;
}

async function readRolloutContext(
  ports: HasFacts & HasFiles & HasReleases & HasWorkspace,
  loaded: LoadedEcosystem | undefined,
  { machine }: ExpectContext,
  hasProcesses: boolean,
): Promise<RolloutContext> {
  const serviceOf = createServiceLookup(loaded);
  const settingsOf = await readSettings(ports, serviceOf);
  const probes = loaded ? await readProbes(ports, loaded, machine, settingsOf) : new Map<string, AppProbe>();
  const appliedState = hasProcesses ? await readAppliedState(ports) : { apps: {} };
  return { settingsOf, serviceOf, probes, appliedState };
}

function listOwned({ apps }: AppliedState, environment: string, service: string | undefined): Set<string> {
  const own = Object.entries(apps).filter(
    ([, app]) => app.environment === environment && (service === undefined || app.service === service),
  );
  return new Set(own.map(([name]) => name));
}

/** A later save by the user counts. */
function isDumpStale({ stamps, workspace }: HasStamps & HasWorkspace, { unsavedAtMs }: AppliedState): boolean {
  if (unsavedAtMs === undefined) return false;
  const [dump] = stamps.read([`${workspace.pm2Home}/dump.pm2`]);
  return (dump?.modifiedMs ?? 0) < unsavedAtMs;
}

function listOwnApps({ processes }: HasProcesses, running: readonly ProcessRecord[]): string[] {
  const self = processes.ownProcess();
  return running.filter((record) => isOwnProcess(record, self)).map(({ name }) => name);
}

function createSelector(
  fileName: string,
  declared: readonly { readonly name: string }[],
  requested: readonly string[] | undefined,
): (one: { readonly name: string }) => boolean {
  if (requested === undefined || requested.length === 0) return () => true;
  const names = declared.map(({ name }) => name);
  const unknown = requested.find((name) => !names.includes(name));
  if (unknown !== undefined) throw nameNotFound(`app in ${fileName} is named`, unknown, names);
  return ({ name }) => requested.includes(name);
}
