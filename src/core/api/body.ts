import * as z from "zod";
import type { ErrorCode, Issue } from "./issue.ts";

export type BodyOf<Schema extends z.core.$ZodType> = Json<z.infer<Schema>>;

type Json<T> = T extends string ? T : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> } : T;

/** svcm writes these texts, so it does not check them again. */
export function trustedText<T extends string>(): z.ZodType<T, T> {
  return z.string() as unknown as z.ZodType<T, T>;
}

export const issueBody = z
  .strictObject({
    code: trustedText<ErrorCode>().describe("Stable, for example `ENV_VALUE_UNSUPPORTED`."),
    severity: z.enum(["error", "warning"]),
    path: z
      .array(z.union([z.string(), z.number()]))
      .describe('Place in the document, for example `["values", "SVC_HTTP_FRAMEWORK"]`.'),
    message: z.string().describe("The problem, and the accepted values. Never a secret."),
    accepted: z.array(z.string()).optional(),
    suggestion: z.string().optional().describe("The accepted word that was most likely meant."),
    at: z
      .strictObject({ file: z.string(), line: z.int().min(1), column: z.int().min(1) })
      .optional()
      .describe("Place in the file; lines and columns count from 1."),
  })
  .describe("A finding of a validator.") satisfies z.ZodType<Issue>;
