import type { HasLogs } from "../port-logs.ts";
import type {
  LogsResponse,
  LogUsageResponse,
  LogPruneResponse,
  LogRotationResponse,
  RotatedLog,
} from "../../api/logs.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { HasLogCare, LogSurvey, SurveyedLog } from "../care/log-care.ts";
import { usageOf } from "../care/usage.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { isFullDisk } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { FileError } from "../../files/ports.ts";
import { KEPT_WORDS, planPrune, tailBytes, type PrunePlan, refusalOf } from "../care/prune.ts";
import type { InputOf } from "../../api/inputs.ts";
import { logSettings, type LogSettings } from "../../project/project.ts";
import { once } from "../../words/once.ts";

/** Returns the newest matching lines. @throws {SvcmError} as `Logs.read` */
export const logsRead = defineOperation({
  id: "logs.read",
  access: "logs",
  run: (ports: HasLogs, query, { source, signal }): Promise<LogsResponse> =>
    ports.logs.read({ ...query, readsFiles: source === "cli" }, signal),
});

/** Sizes, growth and rotation of PM2's logs. Reads no line of them. */
export const logsUsage = defineOperation({
  id: "logs.usage",
  access: "read",
  async run({ logCare, facts }: HasLogCare & HasFacts): Promise<LogUsageResponse> {
    const [survey, project] = await Promise.all([logCare.look(), facts.project()]);
    return usageOf(survey, project?.logs);
  },
});

/**
 * Removes what svcm has rotated, and, with `heads`, older lines of logs without a copy. The lines that `svcm why` reads stay. PM2
 * then opens its logs again if the disk was full, or if it writes to deleted ones.
 * @throws {SvcmError} AUDIT_FAILED, PM2_FAILED
 */
export const logsPrune = defineOperation({
  id: "logs.prune",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: Audited & HasLogCare, { apply, heads, freeBytes }, caller): Promise<LogPruneResponse> {
    const survey = await ports.logCare.look();
    const plan = planPrune(survey, { ...(heads && { heads }), ...(freeBytes !== undefined && { freeBytes }) });
    const mustReopen = survey.fullDiskMs !== null || survey.deleted.length > 0;
    const isNothing = plan.files.length === 0 && plan.heads.length === 0 && !mustReopen;
    if (!apply || isNothing) return planned(plan, survey, { apply, mustReopen });
    return await withAudit(ports, caller, { action: "logs.prune", target: survey.home }, async ({ begin }) => {
      const hasRoom = await isRecorded(begin);
      const answer = await prune(ports, plan);
      const isKnown = hasRoom || answer.freedBytes === 0 || (await isRecorded(begin));
      if (mustReopen) await ports.logCare.reopen();
      const problems = isKnown ? answer.problems : [...answer.problems, unrecorded(survey.home)];
      return { ...answer, problems, reopened: mustReopen };
    });
  },
});

/** A full disk has no room for the record of a change, unless this one makes it. */
async function isRecorded(begin: Attempt["begin"]): Promise<boolean> {
  try {
    await begin();
    return true;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code !== undefined && isFullDisk(error.body.code)) return false;
    throw error;
  }
}

function unrecorded(home: string): LogPruneResponse["problems"][number] {
  const details = "The audit log does not have this change: the disk is full again.";
  return { path: home, reason: { code: "ENOSPC", details } };
}

function planned(
  { files, heads }: PrunePlan,
  { deleted }: LogSurvey,
  { apply, mustReopen }: { readonly apply: boolean; readonly mustReopen: boolean },
): LogPruneResponse {
  const cut = heads.map((log) => ({ path: log.path, bytes: log.bytes - tailBytes(log) }));
  const freedBytes = sum([...files, ...cut, ...deleted]);
  const removed = files.map(({ path, bytes }) => ({ path, bytes }));
  return { dryRun: !apply, removed, heads: cut, freedBytes, kept: KEPT_WORDS, reopened: mustReopen, problems: [] };
}

/** A failure of one file does not keep the others. */
async function prune({ logCare }: HasLogCare, plan: PrunePlan): Promise<LogPruneResponse> {
  const removed: LogPruneResponse["removed"][number][] = [];
  const heads: LogPruneResponse["heads"][number][] = [];
  const problems: LogPruneResponse["problems"][number][] = [];
  const attempt = async (path: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      problems.push({ path, reason: { code: error.code, details: error.message } });
    }
  };
  for (const { path, bytes } of plan.files)
    await attempt(path, async () => {
      await logCare.remove([path]);
      removed.push({ path, bytes });
    });
  for (const log of plan.heads)
    await attempt(log.path, async () => {
      heads.push({ path: log.path, bytes: await logCare.dropHead(log, tailBytes(log)) });
    });
  const freedBytes = sum([...removed, ...heads]);
  return { dryRun: false, removed, heads, freedBytes, kept: KEPT_WORDS, reopened: false, problems };
}

function sum(list: readonly { readonly bytes: number }[]): number {
  return list.reduce((total, { bytes }) => total + bytes, 0);
}

type RotatePorts = Audited & HasFacts & HasLogCare;

/**
 * Cuts off the head of each log that is too large. Lines that other processes write at that moment stay.
 * @throws {SvcmError} INVALID_REQUEST with ROTATE_NOT_DECLARED, AUDIT_FAILED
 */
export const logsRotate = defineOperation({
  id: "logs.rotate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: RotatePorts, input, caller): Promise<LogRotationResponse> {
    const settings = requireSettings(input, (await ports.facts.project())?.logs);
    const survey = await ports.logCare.look({ writersFrom: settings.maxBytes });
    const due = survey.logs.filter(({ bytes, isUnfinished }) => bytes >= settings.maxBytes || isUnfinished);
    const { maxBytes, keep } = settings;
    const answer = (logs: readonly RotatedLog[]): LogRotationResponse => ({
      dryRun: input.dryRun,
      maxBytes,
      keep,
      checked: survey.logs.length,
      logs,
    });
    const refused = due.flatMap((log) => refusedLog(log, survey) ?? []);
    const open = due.filter((log) => refusalOf(log, survey) === null);
    if (input.dryRun || open.length === 0)
      return answer([...(await Promise.all(open.map((log) => dueLog(ports, log)))), ...refused]);
    const about = {
      action: "logs.rotate",
      target: open
        .map(({ path }) => path)
        .join(", ")
        .slice(0, 1000),
    };
    return await withAudit(ports, caller, about, async ({ begin }) => {
      const beginOnce = once(begin);
      const done: RotatedLog[] = [];
      for (const log of open) {
        if (caller.signal?.aborted) break;
        await beginOnce();
        done.push(await rotateOne(ports, log, settings, caller.signal));
      }
      return answer([...done, ...refused]);
    });
  },
});

/** @throws {SvcmError} INVALID_REQUEST */
function requireSettings({ maxSize, keep }: InputOf<"logs.rotate">, declared: LogSettings | undefined): LogSettings {
  if (declared === undefined && maxSize === undefined)
    throw new SvcmError("INVALID_REQUEST", {
      code: "ROTATE_NOT_DECLARED",
      details:
        "svcm.yaml does not say how large a log may become. Accepted: logs: { maxSize: 50M, keep: 10 } there, or --max-size.",
    });
  const given = logSettings({ maxSize, keep });
  if (declared === undefined) return given;
  return {
    ...declared,
    ...(maxSize !== undefined && { maxBytes: given.maxBytes }),
    ...(keep !== undefined && { keep }),
  };
}

const NOTHING = { way: null, files: [], bytes: 0, removed: [], reason: null } as const;

function refusedLog(log: SurveyedLog, survey: LogSurvey): RotatedLog | undefined {
  const reason = refusalOf(log, survey);
  return reason === null ? undefined : { ...NOTHING, path: log.path, outcome: "refused", bytes: log.bytes, reason };
}

async function dueLog({ logCare }: HasLogCare, { path, bytes }: SurveyedLog): Promise<RotatedLog> {
  const { way, reason } = await logCare.wayAt(path);
  return { ...NOTHING, path, outcome: "due", way, bytes, reason: lossReason(reason) };
}

function lossReason(reason: string | undefined): RotatedLog["reason"] {
  if (reason === undefined) return null;
  const details = `It was copied and emptied, so lines written at that moment may be lost: in-place cutting failed (${reason}).`;
  return { code: "ROTATE_MAY_LOSE", details };
}

/** A failure of one log does not keep the others from being rotated. */
async function rotateOne(
  { logCare }: HasLogCare,
  log: SurveyedLog,
  settings: LogSettings,
  signal: AbortSignal | undefined,
): Promise<RotatedLog> {
  const { path, bytes } = log;
  try {
    if (bytes < settings.maxBytes) {
      await logCare.finish(path);
      return { ...NOTHING, path, outcome: "finished" };
    }
    const { way, reason } = await logCare.wayAt(path);
    const rotation = await logCare.rotate(log, { way, ...settings, signal });
    return {
      path,
      outcome: "rotated",
      way,
      ...rotation,
      reason: rotation.files.length > 0 ? lossReason(reason) : null,
    };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { ...NOTHING, path, outcome: "failed", reason: { code: error.code, details: error.message } };
  }
}

const INTERVAL_MS = 60_000;

/**
 * Looks at the logs each minute, so that their growth is known, and rotates them if `svcm.yaml` says so. Ends when the
 * signal is aborted.
 * @param report of each rotation, and of an error; the next minute brings the next try
 */
export async function keepLogs(
  ports: Audited & HasFacts & HasLogCare,
  caller: Caller,
  report: { readonly done: (answer: LogRotationResponse) => void; readonly failed: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if ((await ports.facts.project())?.logs === undefined)
        await ports.logCare.look({ writersFrom: Number.POSITIVE_INFINITY });
      else report.done(await logsRotate.run(ports, { dryRun: false }, { ...caller, signal }));
    } catch (error) {
      report.failed(error);
    }
    await ports.clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
  }
}
