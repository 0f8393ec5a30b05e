import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { catalog, findCodeDoc } from "../codes/catalog.ts";
import type { CodeDoc } from "../../findings/rule.ts";
import { suggest } from "../../words/suggest.ts";

export interface CodeExplanation extends CodeDoc {
  readonly code: string;
  readonly topic: string;
}

export const codeExplain = defineOperation({
  id: "code.explain",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(_ports, { code }): Promise<CodeExplanation> {
    const requested = code.trim().toUpperCase();
    const doc = findCodeDoc(requested);
    if (doc) return { code: requested, ...doc };
    const codes = Object.values(catalog).flatMap(Object.keys);
    const suggestion =
      suggest(requested, codes) ?? codes.find((word) => requested !== "" && word.startsWith(requested));
    throw new SvcmError("NOT_FOUND", {
      code: "CODE_NOT_FOUND",
      details: `There is no code ${JSON.stringify(code.slice(0, 80))}.${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`}`,
      hint: "The last line of each error names its code.",
    });
  },
});
