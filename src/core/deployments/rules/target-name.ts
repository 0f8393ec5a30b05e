import { foldName } from "../name.ts";
import { type Rule, show } from "../rule.ts";
import { type Candidate, textField } from "../candidate.ts";

export const targetName: Rule = {
  code: "TARGET_NAME_DUPLICATE",
  severity: "error",
  summary: "Two deploy targets have the same name.",
  explanation: "Names are case-insensitive. An edited entry may keep its own name.",
  remedy: "Rename one of them: `svcm targets edit <name> --name <new name>`.",
  check({ entry, siblings }) {
    if (!siblings.hold(entry, nameKey)) return [];
    return [{ path: ["name"], message: `name: ${show(textField(entry, "name"))} is taken by another deploy target` }];
  },
};

function nameKey(target: Candidate): string | undefined {
  return foldName(textField(target, "name")) || undefined;
}
