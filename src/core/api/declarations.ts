import * as z from "zod";
import { pick } from "zod/mini";
import { type BodyOf, issueBody } from "./body.ts";
import { inputs } from "./inputs.ts";

export const declarationsBody = z
  .strictObject({
    file: z.string().describe("Relative to the root of the repository."),
    path: z.string(),
    exists: z.boolean(),
    valid: z.boolean(),
    issues: z.array(issueBody),
    document: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Legacy entries in today's form, credentials masked. Absent if the file is not a map."),
    revision: z
      .strictObject({ commit: z.string(), isChanged: z.boolean().describe("The file differs from the commit.") })
      .optional()
      .describe("Absent without Git."),
  })
  .describe("The deployments document of the repository. The entity tag is that of the file.");

export const declarationsPlanRequest = inputs["declarations.plan"];

export const declarationsPlanBody = z
  .strictObject({
    differences: z
      .array(z.strictObject({ section: z.string(), subject: z.string(), fields: z.array(z.string()) }))
      .describe("In words, for example `edge changed` with `region: a → b`."),
    issues: z.array(issueBody).describe("Errors that the draft would add; a write refuses them."),
    patch: z
      .string()
      .optional()
      .describe("For `git apply` in the root; empty without a change. Absent if it would show a credential."),
  })
  .describe("The changes of a draft.");

export const declarationsWriteRequest = pick(inputs["declarations.write"], { document: true });

export type DeclarationsResponse = BodyOf<typeof declarationsBody>;
export type DeclarationsPlanResponse = BodyOf<typeof declarationsPlanBody>;
