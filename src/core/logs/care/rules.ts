import type { LogUsageResponse } from "../../api/logs.ts";
import type { Rule } from "../../findings/rule.ts";
import { pluralize } from "../../words/text.ts";
import { bytesText } from "../../words/numbers.ts";

export interface LogFacts extends Omit<LogUsageResponse, "issues"> {
  /** When PM2 last found the disk full, if it has not opened its logs since. */
  readonly fullDiskMs: number | null;
  /** Of `svcm.yaml`. */
  readonly maxBytes: number | undefined;
}

/** From here on, a log that nothing rotates is worth a word. */
const LARGE_BYTES = 100 * 2 ** 20;
const SOON_HOURS = 72;

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

export const logCareRules: readonly Rule<LogFacts>[] = [
  deadLogs,
  fullSoon,
  notRotated,
  idleRotation,
  twoRotators,
  deletedLogs,
];
