import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { driftStates, runningParts, settingNames } from "./names.ts";

export const driftFields = [
  "app",
  "script",
  "cwd",
  "interpreter",
  "interpreterArgs",
  "args",
  "instances",
  "execMode",
  "watch",
  "namespace",
  "env",
  "envFile",
  "code",
  "values",
  "state",
  ...settingNames,
] as const;

const settingValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const driftEntry = z
  .strictObject({
    name: z.string().describe("The app, or the process that no app declares."),
    pmIds: z.array(z.int()).describe("PM2's numbers of the processes that differ; empty if none runs."),
    field: z.enum(driftFields).describe("`app` if the whole app is missing or unexpected."),
    state: z
      .enum(driftStates)
      .describe(
        "`missing`: declared, and no process runs. `unexpected`: running, not declared. `different`: another value runs. " +
          "`absent`: the process lacks the declared value. `stale`: the process kept an earlier value.",
      ),
    key: z.string().nullable().describe("The environment key, if the field is `env`; never its value."),
    declared: settingValue.describe(
      "The declared value; null for texts that may hold a secret, such as arguments and environment.",
    ),
    running: settingValue.describe(
      "The running value; null for texts that may hold a secret, such as arguments and environment.",
    ),
    details: z
      .string()
      .optional()
      .describe("The difference in words, for `code` and `values`: `4a91c77 to 728e20b, 3 files`. Never a value."),
  })
  .describe("A difference between what the ecosystem declares and what PM2 runs.");

export const unknownPart = z
  .strictObject({
    app: z.string(),
    pmIds: z.array(z.int()).describe("PM2's numbers of the processes."),
    part: z.enum(runningParts),
    reason: z.string().describe("Why it cannot be known. Never a value."),
  })
  .describe(
    "A part of a running app that may differ from what is declared. `svcm apply --restart` ends the doubt, unless the reason says that a restart keeps it.",
  );

export type UnknownPart = BodyOf<typeof unknownPart>;
export type DriftEntry = BodyOf<typeof driftEntry>;
