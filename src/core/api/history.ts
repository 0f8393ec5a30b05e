/** @see CONTRACT section 11 */
import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { hostHistoryMetrics, processHistoryMetrics, recorderStarts } from "./names.ts";

const values = z.array(z.number().nullable());
const moment = z.int().describe("Milliseconds since 1970.");

/** Without bounds, because orval 7 refers to constants of a bounded tuple that it does not write. */
const span = z.tuple([z.number(), z.number()]);

const series = z.strictObject({
  app: z.string().nullable().describe("Name of the process; null for the host."),
  pmId: z.int().nullable().describe("PM2's number of the process; null for the host."),
  metric: z
    .string()
    .describe(`Of the host ${hostHistoryMetrics.join(", ")}; of a process ${processHistoryMetrics.join(", ")}.`),
  mean: values.describe("One value for each step from `from` on; null if nothing was measured."),
  max: values.describe("The largest value of each step."),
});

const columns = {
  from: moment.describe("The first step, in milliseconds since 1970."),
  step: z.int().min(1).describe("Milliseconds between two values."),
  series: z.array(series).describe("Host first, then processes by name; series without a value are left out."),
  gaps: z.array(span).describe("Times in which nothing was recorded, in milliseconds since 1970."),
};

const recorder = z
  .strictObject({
    on: z.boolean().describe("True if this service records; always false on the command line."),
    by: z.enum(recorderStarts).nullable().describe("`flag` is `--record`, `file` is `svcm.yaml`."),
    problem: z
      .strictObject({ code: trustedText<ErrorCode>(), details: z.string() })
      .nullable()
      .describe("Why the last step was not recorded, such as a full disk; null without a reason."),
    since: moment.nullable().describe("The first recorded moment, in milliseconds since 1970; null without one."),
    bytes: z.int().min(0).describe("Size of the history on the disk."),
  })
  .describe("The recorder of this repository.");

export const historyBody = z
  .strictObject({
    ...columns,
    recorder,
    unreadable: z
      .array(z.strictObject({ file: z.string(), lines: z.int().min(0), code: trustedText<ErrorCode>() }))
      .describe("Files of the history that could not be read whole. Their other lines are in the answer."),
  })
  .describe("Recorded values in columns.");

export const historyColumns = z.strictObject(columns).describe("The last recorded hour, in columns.");

export const recorderBody = recorder;

export type HistoryColumns = BodyOf<typeof historyColumns>;
export type HistoryResponse = BodyOf<typeof historyBody>;
export type RecorderResponse = BodyOf<typeof recorderBody>;
