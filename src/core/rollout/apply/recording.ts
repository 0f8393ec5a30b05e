import { createIdAfter, timeDigits } from "../../words/time.ts";
import { ownMember } from "../../words/record.ts";
import type { ApplyPorts, HasReleases, Releases } from "../ports.ts";
import type { ProcessStateName } from "../../api/names.ts";
import type { Release } from "../../api/rollout.ts";
import type { Caller, RolloutStep } from "../../access/operation.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isFailing } from "../../running/symptoms.ts";
import { readStateOf } from "../../running/read-states.ts";
import { appKind } from "../../running/code-evidence.ts";
import { isStopped } from "../../running/state.ts";
import { definitionText } from "../plan.ts";
import {
  type AppliedState,
  type FormerProcess,
  type Journal,
  RELEASE_ID,
  type ReleaseEvent,
  type ReleaseHead,
  namesOfApp,
  releasesInUse,
  toJournals,
  toRelease,
} from "../release.ts";
import { type AppProbe, resolveProbe } from "../settings.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { RolloutSettings } from "../../project/rollout-settings.ts";
import { withReadCopies } from "../env-file-copies.ts";
import { foreignCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ApplyFrame } from "../../api/frames.ts";

export interface ReleaseRecorder {
  readonly head: ReleaseHead;
  readonly add: (event: ReleaseEvent) => Promise<void>;
  readonly step: (
    step: number,
    phase: "begun" | "done" | "failed",
    more?: { readonly reason?: string | undefined; readonly pmIds?: readonly number[] | undefined },
  ) => Promise<void>;
  readonly end: (
    outcome: Release["outcome"],
    more?: Omit<Extract<ReleaseEvent, { readonly event: "end" }>, "event" | "outcome" | "at">,
  ) => Promise<Release>;
}

interface ReleaseSubject extends Pick<
  ReleaseHead,
  "plan" | "environment" | "git" | "steps" | "renamed" | "cannotUndo" | "left"
> {
  readonly message?: string | undefined;
  readonly keptCode?: ReleaseHead["keptCode"] | undefined;
  readonly undoes?: string;
  readonly deploy?: ReleaseHead["deploy"] | undefined;
  readonly running: readonly ProcessRecord[];
  /** A process that loops is up for a while, so a later look alone may take it for a healthy one. */
  readonly failing?: ReadonlySet<number> | undefined;
  readonly probeOf: (record: ProcessRecord) => AppProbe | undefined;
  /** A rollback made the process read copies of env files, and it still does. */
  readonly isPinned?: ((record: ProcessRecord) => boolean) | undefined;
  readonly keepReleases: number;
}

export async function beginRelease(
  ports: ApplyPorts,
  caller: Caller,
  { keepReleases, ...subject }: ReleaseSubject,
): Promise<ReleaseRecorder> {
  const { processes, releases } = ports;
  const now = (): string => new Date(ports.clock.now()).toISOString();
  const head = await createHead(ports, caller, { ...subject, startedAt: now() });
  const { id } = head;
  const events: ReleaseEvent[] = [head];
  const add = async (event: ReleaseEvent): Promise<void> => {
    events.push(event);
    await releases.append(id, event);
  };
  await releases.create(id, head);
  const pmIds = head.before.map(({ pmId }) => pmId);
  if (pmIds.length > 0) await processes.saveRecords(releases.recordsFile(id), pmIds);
  return {
    head,
    add,
    step: (step, phase, more = {}) => add({ event: "step", step, phase, at: now(), ...omitUndefined(more) }),
    end: async (outcome, more = {}) => {
      await add({ event: "end", outcome, at: now(), ...more });
      const kept = toJournals(await releases.list()).slice(0, keepReleases);
      await releases.prune(keepReleases, releasesInUse(kept, more.left ?? head.left));
      return toRelease({ head, events }, null);
    },
  };
}

async function createHead(
  ports: ApplyPorts,
  { source, actor, step: rolloutStep }: Caller,
  {
    message,
    deploy,
    keptCode,
    running,
    failing,
    probeOf,
    isPinned,
    left,
    ...subject
  }: Omit<ReleaseSubject, "keepReleases"> & Pick<ReleaseHead, "startedAt">,
): Promise<ReleaseHead> {
  const newest = toJournals(await ports.releases.list())[0]?.head.id;
  const id = createReleaseId(subject.startedAt, ports.host.randomId(), newest);
  const apps = new Set(subject.steps.flatMap(({ app }) => namesOfApp(subject, app)));
  const touched = running.filter(({ name }) => apps.has(name));
  const { root, checkout = root } = ports.workspace;
  return {
    event: "release",
    id,
    root: checkout,
    ...subject,
    left: await withReadCopies(ports, left, { id, running, isPinned }),
    source,
    ...(actor !== undefined && { actor }),
    ...omitUndefined({ message, deploy, keptCode }),
    ...(rolloutStep !== undefined && { rollout: { id: rolloutStep.rollout, step: rolloutStep.step } }),
    before: await recordFormer(ports, touched, { probeOf, failing }),
  };
}

/** `20261122-044103-b8f9`: the suffix has three digits for the milliseconds and a random one. */
export function createReleaseId(startedAt: string, random: string, newest = ""): string {
  return createIdAfter(RELEASE_ID.test(newest) ? newest : "", Date.parse(startedAt), (ms) => {
    const time = timeDigits(ms).replace(/^\d{8}/, "$&-");
    return `${time}-${(ms % 1000).toString(16).padStart(3, "0")}${random.slice(0, 1)}`;
  });
}

export function formerProbeFinder(
  { apps }: AppliedState,
  healthOf: (app: string) => RolloutSettings["health"],
): (record: ProcessRecord) => AppProbe | undefined {
  return ({ name, httpPort }) =>
    ownMember(apps, name)?.probe ??
    (httpPort === null ? undefined : resolveProbe(name, { SVC_HTTP_PORT: httpPort }, healthOf(name)));
}

/** Only healthy apps must be healthy again after a revert. */
async function recordFormer(
  ports: ApplyPorts,
  affected: readonly ProcessRecord[],
  { probeOf, failing }: Pick<ReleaseSubject, "failing" | "probeOf">,
): Promise<FormerProcess[]> {
  const { clock, health, processes } = ports;
  const { digest } = await processes.withHomeKey();
  const nowMs = clock.now();
  const stateOf = await readStateOf(ports, affected);
  const healthyProbes = new Map<string, AppProbe | undefined>();
  for (const record of affected) {
    if (healthyProbes.has(record.name) || isStopped(record)) continue;
    const probe = probeOf(record);
    const answer = probe && (await health.check(probe));
    healthyProbes.set(record.name, answer?.state === "healthy" ? probe : undefined);
  }
  return affected.map((record) => {
    const { name, pmId, uniqueId, pid } = record;
    const probe = isStopped(record) ? undefined : healthyProbes.get(name);
    const isBroken = failing?.has(pmId) === true || isFailing(record, nowMs, stateOf);
    const mayRest = isStopped(record) || appKind(record.declaration.settings) === "job";
    const isAtRest = mayRest && !isBroken;
    const common = { name, pmId, uniqueId, pid, isStopped: isAtRest, paths: neededPaths(record) };
    return {
      ...common,
      ...(isBroken && { isFailing: true }),
      ...(!DOUBTS.has(stateOf(record).name) && { isUndoubted: true }),
      definition: digest(definitionText(record)),
      ...(probe !== undefined && { probe }),
    };
  });
}

const DOUBTS: ReadonlySet<ProcessStateName> = new Set(["hung", "not loaded", "unknown"]);

/** In cluster mode, PM2 ignores the interpreter. */
function neededPaths({ script, cwd, interpreter, execMode }: ProcessRecord): string[] {
  const paths = [script, cwd, ...(execMode === "cluster" ? [] : [interpreter])];
  return paths.flatMap((path) => (path?.startsWith("/") === true ? [path] : []));
}

/** Call it under the apply lock. @throws {SvcmError} APPLY_REVERTED, APPLY_HALF if that was the outcome of the step */
export async function findRecordedStep(
  { releases }: HasReleases,
  step: RolloutStep | undefined,
): Promise<Release | undefined> {
  if (step === undefined) return undefined;
  const journals = toJournals(await releases.list());
  const found = journals.find(({ head: { rollout } }) => rollout?.id === step.rollout && rollout.step === step.step);
  if (found === undefined) return undefined;
  const release = toRelease(found, null);
  const { id, outcome, code } = release;
  if (outcome === "applied") return release;
  throw new SvcmError(outcome === "half" ? "APPLY_HALF" : "APPLY_REVERTED", {
    ...(code !== undefined && { code: foreignCode(code) }),
    details: `This step was already carried out: release ${id} is ${outcome}.`,
    hint: `Read the release: svcm releases show ${id}`,
  });
}

/** @throws {SvcmError} NOTHING_TO_ROLL_BACK */
export async function findReleaseOfRollout({ releases }: HasReleases, step: RolloutStep): Promise<string> {
  const effective = findRolloutRelease(await releases.list(), step);
  if (effective !== undefined) return effective.head.id;
  throw new SvcmError("NOTHING_TO_ROLL_BACK", { details: `The rollout ${step.rollout} has changed nothing here.` });
}

export function findRolloutRelease(
  lists: readonly (readonly ReleaseEvent[])[],
  { rollout }: Pick<RolloutStep, "rollout">,
): Journal | undefined {
  const journals = toJournals(lists).filter(({ head }) => head.rollout?.id === rollout);
  return journals.find((journal) => {
    const { outcome, undoes } = toRelease(journal, null);
    return undoes === undefined && (outcome === "applied" || outcome === "half");
  });
}

export type ApplyProgress = Omit<ApplyFrame, "type">;

/** `onProgress` gets each line once it is on disk. A rollback records the return of an app within its step, which adds nothing. */
export function withProgress(releases: Releases, onProgress: (progress: ApplyProgress) => void): Releases {
  const events: ReleaseEvent[] = [];
  let told = "";
  return {
    ...releases,
    async create(id, first) {
      await releases.create(id, first);
      events.push(first);
    },
    async append(id, event) {
      await releases.append(id, event);
      events.push(event);
      const [journal] = toJournals([events]);
      if (journal === undefined) return;
      const progress = createProgress(journal, event);
      const text = JSON.stringify(progress);
      if (text !== told) onProgress(progress);
      told = text;
    },
  };
}

function createProgress(journal: Journal, event: ReleaseEvent): ApplyProgress {
  const { id, outcome, code, steps } = toRelease(journal, 0);
  const at = findPosition(journal, event);
  const { do: kind = "save", app = "", phase = "not-begun", reason } = steps[at] ?? {};
  return {
    release: id,
    step: at + 1,
    of: Math.max(steps.length, 1),
    do: kind,
    app,
    phase,
    ...(reason !== undefined && { reason }),
    ...(event.event === "end" && { outcome, code }),
  };
}

function findPosition({ head, events }: Journal, event: ReleaseEvent): number {
  if (event.event === "step") return event.step;
  const startedSteps = events.flatMap((one) => (one.event === "step" ? [one.step] : []));
  const relevant =
    event.event === "return" ? startedSteps.filter((step) => head.steps[step]?.app === event.app) : startedSteps;
  return relevant.at(-1) ?? 0;
}
