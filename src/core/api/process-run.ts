import * as z from "zod";
import type { BodyOf } from "./body.ts";

export const processRunBody = z
  .strictObject({
    name: z.string(),
    pmId: z.int(),
    outcome: z
      .enum(["succeeded", "failed", "unknown", "running"])
      .describe("`unknown`: PM2 records code 0 in cluster mode, whatever happened, and no error was logged."),
    exitCode: z.int().nullable().describe("Null while it runs, and if a signal ended it."),
    details: z.string(),
    ms: z.int().min(0).describe("How long svcm waited for the end."),
  })
  .describe("The result of one run of a job or task.");

export type ProcessRunResult = BodyOf<typeof processRunBody>;
