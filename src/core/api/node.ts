/** The state of a machine, as its node reports it. */
import * as z from "zod";
import type { BodyOf } from "./body-of.ts";
import { text } from "./text.ts";
import type { ErrorCode } from "./code.ts";
import { releaseOutcomes } from "./names.ts";

const count = z.int().min(0);

export const nodeStateBody = z
  .strictObject({
    processes: z
      .union([
        z.strictObject({ total: count, online: count, stopped: count, errored: count, troubled: count }),
        z.strictObject({ error: z.string(), code: text<ErrorCode>().optional() }),
      ])
      .describe("The counts of PM2's list. `troubled` counts those with a problem that the status does not show."),
    release: z
      .strictObject({
        id: z.string(),
        environment: z.string(),
        outcome: z.enum(releaseOutcomes),
        commit: z.string().nullable().describe("The commit that the release applied; null without Git."),
        endedAt: z.iso.datetime().nullable(),
      })
      .nullable()
      .describe("The newest apply or rollback; null if svcm has applied nothing here."),
  })
  .describe("The state of a machine.");

export type NodeState = BodyOf<typeof nodeStateBody>;
