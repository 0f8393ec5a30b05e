import type { LogUsage, LogUsageResponse } from "../../api/logs.ts";
import type { LogSettings } from "../../project/log-settings.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import { roundToTenths } from "../../words/numbers.ts";
import type { LogSurvey, SurveyedLog } from "./port-log-care.ts";
import { logCareRules } from "./rules.ts";
import { otherRotators } from "./verdict.ts";

const HOUR_MS = 3_600_000;

/** @param settings of `svcm.yaml`; `undefined` if svcm does not rotate */
export function usageOf(survey: LogSurvey, settings: LogSettings | undefined): LogUsageResponse {
  const described = survey.logs
    .map((log) => ({ log, usage: logUsage(log, survey, settings) }))
    .toSorted((a, b) => b.usage.bytes + b.usage.rotatedBytes - a.usage.bytes - a.usage.rotatedBytes);
  const disks = [...survey.disks].map(([dev, disk]) => {
    const growing = described.filter(({ log, usage }) => log.dev === dev && !isRotated(usage, settings));
    const known = growing.flatMap(({ usage: { bytesPerHour } }) => bytesPerHour ?? []);
    const bytesPerHour = known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
    const hours = bytesPerHour === null || bytesPerHour <= 0 ? null : disk.availableBytes / bytesPerHour;
    const fullInHours = hours === null ? null : roundToTenths(hours);
    return { ...disk, bytesPerHour, unknownLogs: growing.length - known.length, fullInHours };
  });
  const usage = {
    at: new Date(survey.atMs).toISOString(),
    pm2Home: survey.home,
    logs: described.map((one) => one.usage),
    deleted: survey.deleted,
    disks,
  };
  const { fullDiskMs } = survey;
  const found = findingsOf(logCareRules, { ...usage, fullDiskMs, maxBytes: settings?.maxBytes });
  return { ...usage, issues: Array.from(found, (finding) => toIssue(finding)) };
}

/** A declared rotation that nothing runs does not count. */
function isRotated({ rotatedBy: [first], bytes }: LogUsage, settings: LogSettings | undefined): boolean {
  return first !== undefined && !(first.tool === "svcm" && settings !== undefined && bytes >= 2 * settings.maxBytes);
}

function logUsage(log: SurveyedLog, survey: LogSurvey, settings: LogSettings | undefined): LogUsage {
  const { path, app, stream, bytes, rotated, earlier, problem } = log;
  const others = otherRotators(log, survey);
  const hours = earlier === null ? 0 : (survey.atMs - earlier.atMs) / HOUR_MS;
  return {
    path,
    app,
    stream,
    bytes,
    rotatedFiles: rotated.length,
    rotatedBytes: rotated.reduce((sum, one) => sum + one.bytes, 0),
    bytesPerHour: earlier === null ? null : Math.round((bytes - earlier.bytes) / hours),
    since: earlier === null ? null : new Date(earlier.atMs).toISOString(),
    rotatedBy: others.length > 0 || settings === undefined ? others : [{ tool: "svcm", config: null }],
    problem,
  };
}
