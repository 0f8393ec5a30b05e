import * as z from "zod";
import { type BodyOf, trustedText, issueBody } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { logLevels, logStreams, cutWays, logRotators } from "./names.ts";

export const logLineBody = z
  .strictObject({
    at: z.iso
      .datetime()
      .nullable()
      .describe(
        "Time of the line, or, without one, of the line before it. While following, the time at which svcm read it. Null if the file has no times.",
      ),
    app: z.string().describe("Name of the process."),
    pmId: z.int().nullable().describe("PM2's number of the process; null if several processes share the file."),
    stream: z.enum(logStreams),
    level: z.enum(logLevels).nullable().describe("Null if the line names no level."),
    text: z.string().describe("Without known secrets, colours and the time. Control characters are kept."),
    fields: z
      .record(z.string(), z.string())
      .optional()
      .describe("The other members of a line of JSON; a value that is not text is JSON."),
    file: z.string().describe("Name of the log file, without its folder."),
    offset: z.int().describe("Bytes from the beginning of the file."),
  })
  .describe("One line of a log.");

export const logProblemBody = z
  .strictObject({
    app: z.string(),
    stream: z.enum(logStreams),
    code: trustedText<ErrorCode>(),
    details: z.string(),
  })
  .describe("A log file that was not read, or what to know about one.");

const cursor = z.string().nullable();

export const logsBody = z
  .strictObject({
    lines: z.array(logLineBody).describe("Oldest first, merged by time."),
    older: cursor.describe("For `before`: the lines before these. Null if there are none."),
    newer: cursor.describe("For `after`: the lines after these, as soon as there are some. Null without a log file."),
    scannedBytes: z.int(),
    truncated: z.boolean().describe("True if reading stopped at its limit; `older` continues."),
    problems: z.array(logProblemBody),
  })
  .describe("Lines of the processes' logs.");

export type LogLine = BodyOf<typeof logLineBody>;
export type LogProblem = BodyOf<typeof logProblemBody>;
export type LogsResponse = BodyOf<typeof logsBody>;

const count = z.int().min(0);
const reason = z.strictObject({ code: trustedText<ErrorCode>(), details: z.string() });

const logUsage = z.strictObject({
  path: z.string(),
  app: z.string().nullable().describe("Null for PM2's own log, and for one whose app PM2 does not list."),
  stream: z.enum(logStreams).nullable(),
  bytes: count,
  rotatedFiles: count,
  rotatedBytes: count,
  bytesPerHour: z
    .int()
    .nullable()
    .describe("Growth since `since`. Null if svcm has not seen the log for a minute, or if it was emptied since."),
  since: z.iso.datetime().nullable(),
  rotatedBy: z
    .array(z.strictObject({ tool: z.enum(logRotators), config: z.string().nullable() }))
    .describe("Empty if nothing that svcm knows rotates the log."),
  problem: reason.nullable().describe("Why svcm does not open the log."),
});

const diskUsage = z.strictObject({
  path: z.string(),
  availableBytes: count,
  totalBytes: count,
  bytesPerHour: z.int().nullable().describe("Growth of the logs that nothing rotates. Null if none is known."),
  unknownLogs: count.describe("Logs without a known growth, which are not included."),
  fullInHours: z.number().nullable().describe("If only these logs grow, and as fast. Null if it is not known."),
});

export const logUsageBody = z
  .strictObject({
    at: z.iso.datetime(),
    pm2Home: z.string(),
    logs: z.array(logUsage).describe("Largest first."),
    deleted: z
      .array(z.strictObject({ path: z.string(), pid: z.int(), bytes: count }))
      .describe("Deleted files that a process of PM2 still writes. Their space is not free."),
    disks: z.array(diskUsage),
    issues: z.array(issueBody),
  })
  .describe("How much space the logs of PM2 take, how fast they grow, and what rotates them.");

const rotatedLog = z.strictObject({
  path: z.string(),
  outcome: z.enum(["rotated", "finished", "due", "refused", "failed"]).describe("`due`: a run would rotate it."),
  way: z.enum(cutWays).nullable().describe("With `truncate`, lines may be lost."),
  files: z.array(z.string()).describe("Names of the new files, oldest first."),
  bytes: count.describe("Cut off, or of a log that is due, its size."),
  removed: z.array(z.string()).describe("Older rotated files that went."),
  reason: reason.nullable(),
});

export const logRotationBody = z
  .strictObject({
    dryRun: z.boolean(),
    maxBytes: count,
    keep: count,
    checked: count.describe("Logs that were looked at."),
    logs: z.array(rotatedLog),
  })
  .describe("The result of a rotation.");

export const logPruneBody = z
  .strictObject({
    dryRun: z.boolean(),
    removed: z.array(z.strictObject({ path: z.string(), bytes: count })).describe("Rotated files of svcm."),
    heads: z.array(z.strictObject({ path: z.string(), bytes: count })).describe("Older lines of logs, without a copy."),
    freedBytes: count,
    kept: z.string().describe("svcm never removes this, because `svcm why` reads it."),
    reopened: z.boolean().describe("True if PM2 opened its logs again, after a full disk or a deleted log."),
    problems: z.array(z.strictObject({ path: z.string(), reason })),
  })
  .describe("The files and lines that were removed to free space.");

export type LogUsageResponse = BodyOf<typeof logUsageBody>;
export type LogUsage = LogUsageResponse["logs"][number];
export type LogRotationResponse = BodyOf<typeof logRotationBody>;
export type RotatedLog = LogRotationResponse["logs"][number];
export type LogPruneResponse = BodyOf<typeof logPruneBody>;
