import * as z from "zod/mini";
import type { ErrorCode } from "../../api/issue.ts";
import type { Fields } from "../normalise.ts";
import type { Outcome } from "./outcome.ts";

const texts = z.array(z.string());
const envFile = z.object({ given: z.string(), path: z.string(), exists: z.boolean(), isOptional: z.boolean() });
const places = z.object({
  folder: z.string(),
  cwd: z.string(),
  hasCwd: z.boolean(),
  script: z.string(),
  hasScript: z.boolean(),
  interpreter: z.string(),
  envFiles: z.array(envFile),
});
const commandLine = z.object({ isFile: z.boolean(), program: z.string(), hasProgram: z.boolean() });
const checks = z.object({
  refusals: z.optional(texts),
  shebang: z.string(),
  isExecutable: z.boolean(),
  folderProblem: z.nullable(z.string()),
  hasInterpreter: z.boolean(),
  commandLine: z.nullable(commandLine),
  logs: z.array(z.object({ field: z.string(), path: z.string(), reason: z.string() })),
  cpuQuota: z.nullable(z.number()),
  timeZone: z.string(),
});
const fields = z.record(z.string(), z.unknown()) as unknown as z.ZodMiniType<Fields>;
const outcome = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    apps: z.array(
      z.object({
        fields,
        keys: texts,
        unset: texts,
        places,
        checks: z.optional(checks),
        inherited: z.optional(texts),
      }),
    ),
    found: z.enum(["apps", "pm2", "export", "nothing"]),
    isDefaultExport: z.boolean(),
    beside: z.optional(texts),
    files: texts,
    absent: texts,
    readsCommand: z.boolean(),
    refusals: z.optional(texts),
  }),
  z.object({
    ok: z.literal(false),
    code: z.string().check(z.regex(/^[A-Z][A-Z0-9_]+$/)) as unknown as z.ZodMiniType<ErrorCode>,
    reason: z.string(),
    at: z.optional(z.object({ file: z.string(), line: z.int(), column: z.optional(z.int()) })),
  }),
]);

/** The file's code can write to the same descriptor. */
export function readOutcome(line: string): Outcome | undefined {
  try {
    return outcome.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
