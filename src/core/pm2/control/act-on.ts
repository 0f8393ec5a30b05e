import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { ProcessRecord } from "../process-record.ts";
import { endedMeanwhile, isRunning, isStartedAgain, verdictOn } from "./verdict.ts";
import { affected, skipped, type Acting, type Look, type Outcome, type SkipReason, type Step } from "./acting.ts";
import { give, launched, MOST_ATTEMPTS, type Given } from "./give.ts";
import { folderMissing } from "./refusals.ts";
import { label } from "./target.ts";
import { LOOK_EVERY_MS, verify, verifyFailed } from "./verify.ts";

/** One instance of an app at a time, so that the others keep serving. */
export function stepOn(acting: Acting, record: ProcessRecord): Step {
  const isRolled = acting.action === "restart" || acting.action === "reload";
  const run = (): Promise<Outcome> => actOn(acting, record);
  return { label: label(record), ...(isRolled && { app: `${record.namespace} ${record.name}` }), run };
}

/**
 * Skips a process that is already in the requested state: for PM2, a start of a running process is a restart.
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, PROCESS_ACTION_REFUSED, AUDIT_FAILED
 */
export function actOn(acting: Acting, target: ProcessRecord): Promise<Outcome> {
  const { ports, action, begin, timeoutMs } = acting;
  return ports.processes.withLock(target, async () => {
    const look: Look = () => current(ports, target);
    const before = action === "start" ? await look() : await launched(ports, look, timeoutMs);
    const reason = reasonToSkip(action, before);
    if (reason !== undefined) return { affected: [], skipped: [skipped(before, reason)] };
    if (NEEDS_FOLDER.has(action) && acting.declared === undefined) requireFolder(ports, before);
    await begin();
    const after = await carriedOut(acting, before, look);
    const touched = (action === "delete" ? [before] : after).map(affected);
    await acting.judge?.(touched);
    return { affected: touched, skipped: [] };
  });
}

/** If PM2 restarts the process at the same time, for example because it keeps ending, a stop is requested again. */
async function carriedOut(acting: Acting, before: ProcessRecord, look: Look): Promise<readonly ProcessRecord[]> {
  const { ports, action, timeoutMs } = acting;
  for (let [attempt, now] = [1, before]; ; attempt += 1) {
    const given = await givenOrBad(acting, now, look);
    try {
      return await verify(ports, { action, name: before.name, timeoutMs }, (list, onlineMs) => {
        const seen = sameIn(list, before);
        const seenMs = seen === undefined ? 0 : onlineMs(seen);
        const verdict = verdictOn(given.action, given.before, seen, seenMs, acting.stableMs);
        return { processes: seen === undefined ? [] : [seen], verdict };
      });
    } catch (error) {
      if (action !== "stop" || attempt === MOST_ATTEMPTS) throw error;
      if (!isStartedAgain(given.before, await look())) throw error;
      now = await launched(ports, look, timeoutMs);
    }
  }
}

async function givenOrBad(acting: Acting, before: ProcessRecord, look: Look): Promise<Given> {
  const { ports, action, meanwhile } = acting;
  const answer = give(acting, before, look);
  if (action !== "reload" || meanwhile === undefined) return answer;
  let isAnswered = false;
  const settled = answer.then(
    () => void (isAnswered = true),
    () => void (isAnswered = true),
  );
  for (;;) {
    await Promise.race([settled, ports.clock.sleep(LOOK_EVERY_MS)]);
    if (isAnswered) return answer;
    const now = await listedMeanwhile(ports, before);
    if (now === undefined) continue;
    try {
      const ended = endedMeanwhile(before, now);
      if (ended !== undefined) throw verifyFailed(action, before.name, ended);
      if (now.pid !== before.pid) await meanwhile.look(now);
    } catch (error) {
      meanwhile.owed(before, settled);
      throw error;
    }
  }
}

/** While PM2 replaces a process, it is briefly missing from the list. */
async function listedMeanwhile({ processes }: Ports, target: ProcessRecord): Promise<ProcessRecord | undefined> {
  try {
    return sameIn(await processes.list(), target);
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}

const NEEDS_FOLDER: ReadonlySet<ProcessAction> = new Set(["start", "restart", "reload"]);

/** PM2 would end the process, start no new one, and still report it online. */
function requireFolder({ stamps }: Ports, { name, cwd }: ProcessRecord): void {
  if (cwd === null || stamps.missing([cwd]).size === 0) return;
  const hint = "Create the folder, or delete the process and start it with a correct cwd.";
  throw folderMissing(`The process ${JSON.stringify(name)}`, cwd, hint);
}

async function current({ processes }: Ports, target: ProcessRecord): Promise<ProcessRecord> {
  const seen = sameIn(await processes.list(), target);
  if (seen === undefined) throw changed(target);
  return seen;
}

function reasonToSkip(action: ProcessAction, before: ProcessRecord): SkipReason | undefined {
  if (action === "start" && isRunning(before)) return "ALREADY_RUNNING";
  return action === "stop" && before.status === "stopped" ? "ALREADY_STOPPED" : undefined;
}

/** A restart may change the name of a process. */
function sameIn(list: readonly ProcessRecord[], { pmId, name, uniqueId }: ProcessRecord): ProcessRecord | undefined {
  const isSame = (record: ProcessRecord): boolean =>
    record.uniqueId === uniqueId && (uniqueId !== null || record.name === name);
  return list.find((record) => record.pmId === pmId && isSame(record));
}

function changed({ pmId, name }: ProcessRecord): SvcmError {
  return new SvcmError("PM2_FAILED", {
    code: "PROCESS_CHANGED",
    details: `PM2's number ${pmId} is no longer the process ${JSON.stringify(name)}.`,
    hint: "List the processes again: svcm process list",
  });
}
