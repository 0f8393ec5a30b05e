import { shellQuote } from "../../words/text.ts";
import { toSkipped, type SkippedProcess, type ProcessRecord } from "../../pm2/process-record.ts";
import { SvcmError } from "../../api/errors.ts";
import type { Declaration } from "../../pm2/declared.ts";
import { NO_PREVIOUS_RUN, judge, type Verdict, verify, type OnlineMs, POLL_INTERVAL_MS } from "./verify.ts";
import { actOn } from "./act-on.ts";
import { toAffected, mergeOutcomes, type ActionContext, type Outcome } from "./action.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import type { HasClock } from "../../files/ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { isAtRest, hasEndedWell } from "../../running/state.ts";
import type { ProcessAction } from "../../api/names.ts";
import { appKind } from "../../running/code-evidence.ts";

/**
 * Existing processes of the app are started as they are. Concurrent svcm processes take turns, so they start only one
 * daemon and one app.
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, PROCESS_ACTION_REFUSED, AUDIT_FAILED
 */
export async function startDeclared(context: ActionContext, declared: Declaration): Promise<Outcome> {
  const { processes } = context.ports;
  const { name } = declared;
  const existing = await processes.withLock("start", async () => {
    const found = withName(await listOrEmpty(processes), name);
    if (found.length > 0) return found;
    await context.begin();
    if (isJob(declared)) return undefined;
    return (await startUnlessListed(context, declared)) ? undefined : withName(await processes.list(), name);
  });
  if (existing !== undefined) return startExisting(context, existing);
  if (isJob(declared)) {
    const registered = await registerDeclared(context.ports, declared);
    return { affected: [], skipped: registered.map((record) => toSkipped(record, "JOB_WAITS")) };
  }
  const started = await verify(
    context.ports,
    { action: "start", name, timeoutMs: context.timeoutMs },
    (list, onlineMs) => {
      const found = withName(list, name);
      return { processes: found, verdict: combineVerdicts(found, onlineMs, context.stableMs) };
    },
  );
  return { affected: started.map(toAffected), skipped: [] };
}

async function startUnlessListed({ ports }: ActionContext, { name, apps, folder }: Declaration): Promise<boolean> {
  try {
    await ports.processes.startApp(name, apps, folder);
    return true;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "APP_ALREADY_KNOWN") return false;
    throw error;
  }
}

async function startExisting(context: ActionContext, existing: readonly ProcessRecord[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const record of existing) {
    const skipped = { affected: [], skipped: [toSkipped(record, "JOB_WAITS")] };
    outcomes.push(isInPlaceAtRest(record) ? skipped : await actOn(context, record));
  }
  return mergeOutcomes(outcomes);
}

function combineVerdicts(instances: readonly ProcessRecord[], onlineMs: OnlineMs, stableMs?: number): Verdict {
  if (instances.length === 0) return { failed: "it registered no process" };
  const verdicts = instances.map((instance) => judge("start", NO_PREVIOUS_RUN, instance, onlineMs(instance), stableMs));
  return verdicts.find((verdict) => typeof verdict === "object") ?? (verdicts.includes("pending") ? "pending" : "done");
}

function withName(list: readonly ProcessRecord[], name: string): ProcessRecord[] {
  return list.filter((record) => record.name === name);
}

/** Gives PM2 the definition of an app that it does not list. Nothing runs. @throws {SvcmError} PM2_FAILED */
export async function registerDeclared(
  { processes }: HasProcesses,
  { name, apps, folder }: Declaration,
): Promise<ProcessRecord[]> {
  return await processes.withLock("start", async () => {
    const before = (await listOrEmpty(processes)).filter((record) => record.name === name);
    if (before.length > 0) return before;
    await processes.registerApp(name, apps, folder);
    const listed = (await processes.list()).filter((record) => record.name === name);
    if (listed.length > 0) return listed;
    const details = `PM2 accepted the definition of ${JSON.stringify(name)}, but does not list it.`;
    throw new SvcmError("PROCESS_ACTION_FAILED", { code: "START_VERIFY_FAILED", details });
  });
}

/** @throws {SvcmError} PROCESS_ACTION_REFUSED with JOB_RUNNING */
export async function waitUntilAtRest(
  { processes, clock }: HasClock & HasProcesses,
  targets: readonly ProcessRecord[],
  timeoutMs: number,
): Promise<void> {
  // Of a new app, also where no daemon runs yet.
  if (targets.length === 0) return;
  const ids = new Set(targets.map(({ pmId }) => pmId));
  const deadline = clock.elapsed() + timeoutMs;
  for (;;) {
    const running = (await processes.list()).find((record) => ids.has(record.pmId) && !isAtRest(record));
    if (running === undefined) return;
    if (clock.elapsed() >= deadline) throw jobRunning(running);
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

export function jobRunning({ name, pmId, startedAt }: ProcessRecord): SvcmError {
  const since = startedAt === null ? "" : ` since ${new Date(startedAt).toISOString()}`;
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "JOB_RUNNING",
    details: `${name} (id ${pmId}) runs${since}, and svcm does not end its run.`,
    hint: `Repeat the command when it has ended. To end it now: svcm stop ${shellQuote(name)}`,
  });
}

/** Only its schedule, or `svcm run`, starts it. */
export function isJob({ apps }: Pick<Declaration, "apps">): boolean {
  return apps.some(({ autorestart, cron_restart: schedule }) => {
    const isFinite = autorestart === false || autorestart === "false";
    return isFinite && typeof schedule === "string";
  });
}

/** A job that waits, or a task that has ended. */
function isInPlaceAtRest(record: ProcessRecord): boolean {
  const kind = appKind(record.declaration.settings);
  return (
    (kind === "job" && isAtRest(record)) || (kind === "task" && hasEndedWell(record) && record.lastStartAt !== null)
  );
}

/** An action on many apps neither runs a job or task out of turn nor ends its run. */
export function separateJobs(
  action: ProcessAction,
  targets: readonly ProcessRecord[],
): { readonly services: readonly ProcessRecord[]; readonly left: readonly SkippedProcess[] } {
  if (action === "stop" || action === "delete") return { services: targets, left: [] };
  const left = targets.flatMap((record): SkippedProcess[] => {
    if (isInPlaceAtRest(record)) return [toSkipped(record, "JOB_WAITS")];
    const isRunning = appKind(record.declaration.settings) !== "service" && !isAtRest(record);
    return isRunning ? [toSkipped(record, "ALREADY_RUNNING")] : [];
  });
  return { services: targets.filter(({ pmId }) => left.every((one) => one.pmId !== pmId)), left };
}
