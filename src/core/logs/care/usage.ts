import { MIN_PM2_LOG_SPACE } from "../../pm2/settings.ts";
import type { LogUsage, LogUsageResponse } from "../../api/logs.ts";
import type { LogSettings } from "../../project/project.ts";
import { findingsOf, toIssue, type Rule } from "../../findings/rule.ts";
import { roundToTenths, bytesText } from "../../words/numbers.ts";
import type { LogSurvey, SurveyedLog } from "./log-care.ts";
import { otherRotators } from "./prune.ts";
import { pluralize } from "../../words/text.ts";

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

export interface LogFacts extends Omit<LogUsageResponse, "issues"> {
  /** When PM2 last found the disk full, if it has not opened its logs since. */
  readonly fullDiskMs: number | null;
  /** Of `svcm.yaml`. */
  readonly maxBytes: number | undefined;
}

/** From here on, a log that nothing rotates is worth a word. */
const LARGE_BYTES = 100 * 2 ** 20;
const SOON_HOURS = 72;

const full: Rule<LogFacts> = {
  code: "LOG_DISK_FULL",
  severity: "error",
  *check({ disks }) {
    for (const { path, availableBytes } of disks)
      if (availableBytes < MIN_PM2_LOG_SPACE)
        yield {
          path: [path],
          message: `${path} has no free space: if PM2's daemon cannot write pm2.log, it ends, and every app with it`,
        };
  },
};

const fullSoon: Rule<LogFacts> = {
  code: "LOG_DISK_FULL_SOON",
  severity: "error",
  *check({ disks }) {
    for (const { path, fullInHours, availableBytes, bytesPerHour } of disks) {
      if (fullInHours === null || fullInHours > SOON_HOURS) continue;
      const growth = `logs grow by ${bytesText(bytesPerHour ?? 0)} an hour, and ${bytesText(availableBytes)} are free`;
      yield { path: [path], message: `${path} is full in ${hoursText(fullInHours)}: ${growth}` };
    }
  },
};

function hoursText(hours: number): string {
  return hours < 1 ? "less than an hour" : `about ${pluralize(Math.round(hours), "hour")}`;
}

const notRotated: Rule<LogFacts> = {
  code: "LOG_NOT_ROTATED",
  severity: "warning",
  *check({ logs }) {
    for (const { path, bytes, rotatedBy } of logs)
      if (rotatedBy.length === 0 && bytes >= LARGE_BYTES)
        yield { path: [path], message: `${path} has ${bytesText(bytes)}, and nothing rotates it` };
  },
};

const idleRotation: Rule<LogFacts> = {
  code: "LOG_ROTATION_IDLE",
  severity: "warning",
  *check({ logs, maxBytes = Number.POSITIVE_INFINITY }) {
    for (const { path, bytes, rotatedBy, problem } of logs)
      if (rotatedBy[0]?.tool === "svcm" && problem === null && bytes >= 2 * maxBytes)
        yield {
          path: [path],
          message: `${path} has ${bytesText(bytes)} of at most ${bytesText(maxBytes)}: svcm serve or a timer has not rotated it yet`,
        };
  },
};

const twoRotators: Rule<LogFacts> = {
  code: "LOG_ROTATED_TWICE",
  severity: "warning",
  *check({ logs }) {
    for (const { path, rotatedBy } of logs)
      if (rotatedBy.length > 1)
        yield {
          path: [path],
          message: `${path} is rotated by ${rotatedBy.map(({ tool, config }) => `${tool} (${config ?? "svcm.yaml"})`).join(" and by ")}`,
        };
  },
};

const deletedLogs: Rule<LogFacts> = {
  code: "LOG_DELETED_OPEN",
  severity: "warning",
  *check({ deleted }) {
    for (const { path, pid, bytes } of deleted)
      yield {
        path: [path, pid],
        message: `${path} is deleted, but the process ${pid} still writes it and keeps ${bytesText(bytes)}`,
      };
  },
};

const deadLogs: Rule<LogFacts> = {
  code: "LOG_DEAD",
  severity: "error",
  *check({ fullDiskMs }) {
    if (fullDiskMs === null) return;
    const at = `${new Date(fullDiskMs).toISOString().slice(0, "2026-01-31T08:00".length).replace("T", " ")}Z`;
    yield { message: `the disk was full at ${at}, and PM2 has not opened its logs again since: some may stay empty` };
  },
};

const logCareRules: readonly Rule<LogFacts>[] = [
  deadLogs,
  full,
  fullSoon,
  notRotated,
  idleRotation,
  twoRotators,
  deletedLogs,
];
