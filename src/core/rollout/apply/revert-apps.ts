import type { HasClock } from "../../files/ports.ts";
import type { ApplyPorts } from "../ports.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import { actOn } from "../control/act-on.ts";
import { settleLaunch, type ActionContext } from "../control/action.ts";
import {
  isBetweenRuns,
  isUp,
  isLaunching,
  listBy,
  POLL_INTERVAL_MS,
  DEFAULT_TIMEOUT_MS,
  verificationFailed,
} from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { listenTimeoutMs } from "../../pm2/settings.ts";
import type { SavedRun, HasProcesses } from "../../pm2/port-processes.ts";
import { appKind } from "../../running/code-evidence.ts";
import { isEnding, isStopped } from "../../running/state.ts";
import { listIfRunning } from "../../pm2/list.ts";
import { definitionText } from "../plan.ts";
import { envFileCopies, namesOfApp, type FormerProcess, type ReleaseEvent, type ReleaseHead } from "../release.ts";
import { type Circumstances, readListeners } from "../../running/read-serving.ts";
import { requireLoaded, waitUntilHealthy, type HealthRequirement } from "./gate.ts";
import { ownMember } from "../../words/record.ts";
import { pluralize } from "../../words/text.ts";

export interface RevertContext {
  readonly head: ReleaseHead;
  readonly requirementOf: (app: string) => Omit<HealthRequirement, "probe">;
  /** PM2 refuses another reload of these until the old run has ended. */
  readonly busy?: ReadonlySet<number>;
  readonly add: (event: ReleaseEvent) => Promise<void>;
}

interface RevertOutcome {
  readonly reasons: readonly string[];
  /** Their env files have changed since, so they now read copies from before the release. */
  readonly pinned: ReadonlySet<string>;
  /** They do not report that they are ready, and svcm has not seen that they ever did. */
  readonly silent: ReadonlySet<string>;
}

/** It changes only what differs, so running it again completes an interrupted one. */
export async function revertApps(
  ports: ApplyPorts,
  context: RevertContext,
  apps: readonly string[],
): Promise<RevertOutcome> {
  const reasons: string[] = [];
  const pinned = new Set<string>();
  const silent = new Set<string>();
  for (const app of apps) {
    const notes = { pinned: () => pinned.add(app), silent: () => silent.add(app) };
    const reason = await revertApp(ports, context, app, notes).catch((error: unknown) => {
      if (error instanceof SvcmError) return error.message;
      throw error;
    });
    if (reason !== undefined) reasons.push(`${app}: ${reason}`);
    const at = new Date(ports.clock.now()).toISOString();
    await context.add({ event: "return", app, at, ...(reason !== undefined && { reason }) });
  }
  return { reasons, pinned, silent };
}

async function revertApp(
  ports: ApplyPorts,
  { head, requirementOf, busy = new Set() }: RevertContext,
  app: string,
  notes: Readonly<Record<"pinned" | "silent", () => void>>,
): Promise<string | undefined> {
  const names = namesOfApp(head, app);
  const former = head.before.filter(({ name }) => names.includes(name));
  // The step was to start PM2, too, and did not.
  if (former.length === 0 && (await listIfRunning(ports.processes)) === undefined) return undefined;
  const pins = await ports.releases.changedEnvFiles(envFileCopies(head, names));
  const run = { recordsFile: ports.releases.recordsFile(head.id), envFileCopies: pins };
  const { deadlineMs: timeoutMs } = requirementOf(app);
  const listeners = await readListeners(ports);
  const context = { ports, begin: () => Promise.resolve(), timeoutMs, stableMs: 0 };
  const isPinned = await restoreDefinitions(context, names, former, { ...run, busy });
  const listed = new Set((await listProcesses(ports, names)).map(({ pmId }) => pmId));
  const gone = former.filter(({ pmId }) => !listed.has(pmId));
  for (const { pmId } of gone) await ports.processes.restore(run, pmId);
  if (pins.size > 0 && (isPinned || gone.length > 0)) notes.pinned();
  const stopped = new Set(former.filter((old) => old.isStopped).map(({ pmId }) => pmId));
  for (const record of await listProcesses(ports, names))
    if (stopped.has(record.pmId) && !isStopped(record) && !isJob(record))
      await actOn({ ...context, action: "stop" }, record);
  const requirement = { ...requirementOf(app), ...silence(head, app, notes.silent) };
  return findShortfall(former, await verifyReverted(ports, names, former, { ...requirement, listeners }));
}

/** An apply measured the boot of an app that has reported that it is ready. */
function silence({ left }: ReleaseHead, app: string, onSilent: () => void): Pick<HealthRequirement, "onSilent"> {
  return ownMember(left.apps, app)?.bootMs === undefined ? { onSilent } : {};
}

/** Its schedule may have started it in the meantime. */
function isJob({ declaration }: ProcessRecord): boolean {
  return appKind(declaration.settings) === "job";
}

/** @returns true if a process was started with its previous definition */
async function restoreDefinitions(
  context: Omit<ActionContext, "action">,
  names: readonly string[],
  former: readonly FormerProcess[],
  { busy, ...run }: SavedRun & Required<Pick<RevertContext, "busy">>,
): Promise<boolean> {
  const { digest } = await context.ports.processes.withHomeKey();
  let isStarted = false;
  for (const listed of await listProcesses(context.ports, names)) {
    const old = former.find(({ pmId, uniqueId }) => pmId === listed.pmId && uniqueId === listed.uniqueId);
    const hasDefinition = (record: ProcessRecord): boolean => digest(definitionText(record)) === old?.definition;
    if (old?.isFailing === true && listed.status !== "stopped" && hasDefinition(listed)) continue;
    const record = await stopCrashLoop(context, listed);
    const isSame = hasDefinition(record) && hasEnvFiles(record, old, run);
    const action = chooseAction(record, old, { isSame, isBusy: busy.has(record.pmId) });
    if (action === undefined) continue;
    await actAsBefore({ ...context, ...(!isSame && { nextRun: () => run }), action }, record, old);
    isStarted ||= old !== undefined && !isSame;
  }
  return isStarted;
}

/** A process that did not stay up before may fail again. */
async function actAsBefore(
  context: ActionContext,
  record: ProcessRecord,
  old: FormerProcess | undefined,
): Promise<void> {
  const acted = actOn(context, record);
  await (old?.isFailing === true ? ignoreFailure(acted) : acted);
}

/** A process that was restarted in the meantime has read the current env files. */
function hasEnvFiles({ pid }: ProcessRecord, old: FormerProcess | undefined, run: SavedRun): boolean {
  return run.envFileCopies?.size === 0 || pid === old?.pid;
}

async function ignoreFailure(acted: Promise<unknown>): Promise<void> {
  try {
    await acted;
  } catch (error) {
    if (!(error instanceof SvcmError) || error.kind !== "PROCESS_ACTION_FAILED") throw error;
  }
}

function chooseAction(
  record: ProcessRecord,
  old: FormerProcess | undefined,
  { isSame, isBusy }: { readonly isSame: boolean; readonly isBusy: boolean },
): ProcessAction | undefined {
  if (old === undefined) return "delete";
  if (!isSame) return record.execMode === "cluster" && !isStopped(record) && !isBusy ? "reload" : "restart";
  return isStopped(record) && !old.isStopped ? "start" : undefined;
}

async function verifyReverted(
  ports: ApplyPorts,
  names: readonly string[],
  former: readonly FormerProcess[],
  { listeners, ...requirement }: Omit<HealthRequirement, "probe"> & Pick<Circumstances, "listeners">,
): Promise<Reverted> {
  const probe = former.find((old) => old.probe !== undefined)?.probe;
  const formerPids = new Set(former.map(({ pid }) => pid));
  const failing = new Set(former.filter((old) => old.isFailing).map(({ pmId }) => pmId));
  const started = (await listProcesses(ports, names)).filter(
    (record) => isUp(record) && !formerPids.has(record.pid) && !failing.has(record.pmId),
  );
  const undoubted = new Set(former.filter((old) => old.isUndoubted).map(({ pmId }) => pmId));
  await Promise.all(
    started.map(async (record) => {
      await waitUntilHealthy(ports, record, { ...requirement, probe });
      // The code in place may be the new one.
      const circumstances = { start: "renewed", listeners, isProbed: probe !== undefined } as const;
      if (undoubted.has(record.pmId)) await requireLoaded(ports, record, circumstances);
    }),
  );
  const known = new Set([...formerPids, ...started.map(({ pid }) => pid)]);
  const now = await listProcesses(ports, names);
  return { listed: now.length, online: now.filter((record) => isUp(record) && known.has(record.pid)).length };
}

interface Reverted {
  readonly listed: number;
  /** Without a run that nothing has checked: also an app that always ends is online for a moment. */
  readonly online: number;
}

/** A process that was started again has a new id. */
function findShortfall(former: readonly FormerProcess[], { listed, online }: Reverted): string | undefined {
  const running = former.filter((one) => !one.isStopped && one.isFailing !== true).length;
  if (listed !== former.length)
    return `PM2 lists ${pluralize(listed, "process", "processes")}, and there were ${former.length} before.`;
  return online < running
    ? `${online} of ${pluralize(running, "process", "processes")} ${online === 1 ? "is" : "are"} online.`
    : undefined;
}

const MAX_STOPS = 20;
/** Two more looks at a launch that PM2 concludes, on a busy machine. */
const MAX_CONCLUSION_MS = 5000;

/**
 * Stops a process that PM2 keeps restarting, because PM2 would start it in addition to the restart, and the run that
 * PM2 starts would count as the new one. It may crash while it is being stopped, so the stop is repeated; PM2 gives up
 * after sixteen starts.
 * @param isKnown PM2 counts only ends soon after a start, so the caller may know of a loop that PM2 does not count
 */
export async function stopCrashLoop(
  context: Omit<ActionContext, "action">,
  record: ProcessRecord,
  isKnown = false,
): Promise<ProcessRecord> {
  const { ports, timeoutMs = DEFAULT_TIMEOUT_MS } = context;
  const launchMs = listenTimeoutMs(record.declaration.settings) + MAX_CONCLUSION_MS;
  const deadlineMs = ports.clock.elapsed() + Math.max(timeoutMs, launchMs);
  const isLooping = ({ unstableRestarts }: ProcessRecord): boolean => isKnown || unstableRestarts > 0;
  const settle = async (first: ProcessRecord): Promise<ProcessRecord> => {
    const readCurrent = (): Promise<ProcessRecord> => readAgain(ports, first);
    return (await settleLaunch(ports, { first, readCurrent, deadlineMs, isSettled })).now;
  };
  let now = await settle(record);
  for (let attempt = 1; isLooping(now) && !isAtRest(now); attempt += 1) {
    if (attempt > MAX_STOPS)
      throw verificationFailed("stop", now.name, `it did not come to rest in ${MAX_STOPS} attempts`);
    try {
      await actOn({ ...context, action: "stop" }, now);
    } catch (error) {
      if (!(error instanceof SvcmError) || attempt === MAX_STOPS) throw error;
    }
    now = await readAgain(ports, now);
    if (isAtRest(now)) break;
    // PM2 is about to launch it.
    if (isEnding(now)) await ports.clock.sleep(POLL_INTERVAL_MS);
    now = await settle(now);
  }
  return now;
}

function isAtRest(record: ProcessRecord): boolean {
  return isStopped(record) && !isBetweenRuns(record);
}

/** The next launch has another pid. */
function isSettled(before: ProcessRecord, now: ProcessRecord): boolean {
  return [before, now].every((one) => !isLaunching(one) && !isEnding(one)) && now.pid === before.pid;
}

async function readAgain(ports: HasClock & HasProcesses, record: ProcessRecord): Promise<ProcessRecord> {
  return (await listProcesses(ports, [record.name])).find(({ pmId }) => pmId === record.pmId) ?? record;
}

async function listProcesses(ports: HasClock & HasProcesses, names: readonly string[]): Promise<ProcessRecord[]> {
  const processes = await ports.processes.withHomeKey();
  const all = await listBy({ clock: ports.clock, processes }, ports.clock.elapsed() + DEFAULT_TIMEOUT_MS);
  return all.filter(({ name }) => names.includes(name));
}
