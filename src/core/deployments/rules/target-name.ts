import { quoteValue } from "../../findings/quote-value.ts";
import { foldName, type Candidate, textField } from "../candidate.ts";
import { type Rule } from "../rule.ts";

export const targetName: Rule = {
  code: "TARGET_NAME_DUPLICATE",
  severity: "error",
  summary: "Two deploy targets have the same name.",
  explanation: "Names are case-insensitive. An edited entry may keep its own name.",
  remedy: "Rename one of them: `svcm targets edit <name> --name <new name>`.",
  check({ entry, siblings }) {
    if (!siblings.has(entry, nameKey)) return [];
    return [
      { path: ["name"], message: `name: ${quoteValue(textField(entry, "name"))} is taken by another deploy target` },
    ];
  },
};

function nameKey(target: Candidate): string | undefined {
  return foldName(textField(target, "name")) || undefined;
}
