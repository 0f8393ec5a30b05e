import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText, type Finding } from "../../findings/rule.ts";
import type { Candidate } from "../candidate.ts";
import { targetFields } from "../fields.ts";
import type { Field } from "../field.ts";
import { missing, type Rule } from "../rule.ts";

export const targetRequired: Rule = {
  code: "TARGET_FIELD_MISSING",
  severity: "error",
  summary: "A deploy target lacks a field.",
  explanation:
    "name, runtime, serviceType, deployTarget, runtimeProtocol and both drivers are required. region is required for every target that is not self-hosted.",
  remedy: "Add the field that the message names, for example `svcm targets edit <name> --region eu-central-1`.",
  check: ({ entry, vocabulary }) =>
    targetFields
      // Another rule reports a missing pm2Profile.
      .filter(({ name }) => name !== "pm2Profile" && isMissing(entry[name]))
      .filter(({ required }) => required(entry, vocabulary))
      .map((field) =>
        field.accepted ? missing(field.name, field.accepted(entry, vocabulary)) : missingText(field, entry),
      ),
};

function missingText({ name, dependsOn = "", examples = [] }: Field, entry: Candidate): Finding {
  const why = isMissing(entry[dependsOn]) ? "" : `: ${quoteValue(entry[dependsOn])} needs one`;
  return { path: [name], message: acceptedText(`${name} is missing${why}`, `for example ${examples.join(", ")}`) };
}

/** The shape rule reports a value of another type. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === "";
}
