import type { Audited } from "../../access/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { LogRotationResponse, RotatedLog } from "../../api/logs.ts";
import { FileError } from "../../files/port-files.ts";
import { logSettings, type LogSettings } from "../../project/log-settings.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { HasLogCare, LogSurvey, SurveyedLog } from "../care/port-log-care.ts";
import { refusalOf } from "../care/verdict.ts";
import { once } from "../../words/once.ts";

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
