import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./code.ts";
import { logLevels, logStreams } from "./names.ts";

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
