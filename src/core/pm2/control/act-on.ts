import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports.ts";
import type { Declaration } from "../declaration.ts";
import { isRunning, verdictOn } from "../verdict.ts";
import type { ProcessRecord } from "../process-record.ts";
import { give, launched } from "./give.ts";
import { verify } from "./verify.ts";

/** An action under way. */
export interface Acting {
  readonly ports: Ports;
  readonly action: ProcessAction;
  /** Records the action; called before the first effect, and again does nothing. */
  readonly begin: () => Promise<void>;
  /** What a restart lays over the environment of the process. */
  readonly declared?: Declaration | undefined;
}

/** Why nothing was done to a process. */
export type SkipReason = "SELF_ACTION_BLOCKED" | "ALREADY_RUNNING" | "ALREADY_STOPPED";

/** A process after an action. */
export interface AffectedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly pid: number | null;
  readonly status: string;
}

export interface SkippedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly reason: SkipReason;
}

export interface Outcome {
  readonly affected: readonly AffectedProcess[];
  readonly skipped: readonly SkippedProcess[];
}

/**
 * Acts on one process while no other svcm does, and answers when PM2's list shows the effect. What
 * is as asked already is left alone: PM2 would restart what runs.
 *
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, AUDIT_FAILED
 */
export function actOn(acting: Acting, asked: ProcessRecord): Promise<Outcome> {
  const { ports, action, begin } = acting;
  const { processes } = ports;
  return processes.exclusively(asked, async () => {
    const look = (): Promise<ProcessRecord> => listed(ports, asked);
    const before = action === "start" ? await look() : await launched(ports, look);
    const reason = needless(action, before);
    if (reason !== undefined) return { affected: [], skipped: [skipped(before, reason)] };
    if (action !== "stop") refuseWithoutFolder(ports, before);
    await begin();
    const given = await give(acting, before, look);
    const after = await verify(ports, { action, name: before.name }, (list, onlineMs) => {
      const seen = sameIn(list, before);
      const onlineFor = seen === undefined ? 0 : onlineMs(seen);
      const verdict = verdictOn(given.action, given.before, seen, onlineFor);
      return { processes: seen === undefined ? [] : [seen], verdict };
    });
    return { affected: after.map(affected), skipped: [] };
  });
}

/** PM2 would end the process, start none, and call it online. @throws {SvcmError} PROCESS_ACTION_FAILED */
function refuseWithoutFolder({ stamps }: Ports, { name, cwd }: ProcessRecord): void {
  if (cwd === null || stamps.missing([cwd]).size === 0) return;
  throw new SvcmError("PROCESS_ACTION_FAILED", {
    code: "PROCESS_FOLDER_MISSING",
    details: `The process ${JSON.stringify(name)} runs in the folder ${cwd}, which does not exist.`,
    hint: "Create the folder, or delete the process and start it with a correct cwd.",
  });
}

/** @throws {SvcmError} PM2_FAILED where PM2 no longer lists it */
async function listed({ processes }: Ports, asked: ProcessRecord): Promise<ProcessRecord> {
  const seen = sameIn(await processes.list(), asked);
  if (seen === undefined) throw changed(asked);
  return seen;
}

export function affected({ name, pmId, namespace, pid, status }: ProcessRecord): AffectedProcess {
  return { name, pmId, namespace, pid, status };
}

export function skipped({ name, pmId, namespace }: ProcessRecord, reason: SkipReason): SkippedProcess {
  return { name, pmId, namespace, reason };
}

function needless(action: ProcessAction, before: ProcessRecord): SkipReason | undefined {
  if (action === "start" && isRunning(before)) return "ALREADY_RUNNING";
  return action === "stop" && before.status === "stopped" ? "ALREADY_STOPPED" : undefined;
}

function sameIn(list: readonly ProcessRecord[], { pmId, name, uniqueId }: ProcessRecord): ProcessRecord | undefined {
  return list.find((record) => record.pmId === pmId && record.name === name && record.uniqueId === uniqueId);
}

function changed({ pmId, name }: ProcessRecord): SvcmError {
  return new SvcmError("PM2_FAILED", {
    code: "PROCESS_CHANGED",
    details: `PM2's number ${pmId} is no longer the process ${JSON.stringify(name)}.`,
    hint: "List the processes again: svcm process list",
  });
}
