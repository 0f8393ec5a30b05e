import { SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import { catalog, docOf } from "../report/catalog.ts";
import { suggest } from "../report/suggest.ts";

export interface CodeExplanation {
  readonly code: string;
  readonly topic: string;
  readonly summary: string;
  readonly explanation: string;
}

/** What a code means, and what to do about it. */
export const codeExplain = defineOperation({
  id: "code.explain",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(_ports, { code }): Promise<CodeExplanation> {
    const asked = code.trim().toUpperCase();
    const doc = docOf(asked);
    if (doc) return { code: asked, ...doc };
    const meant = suggest(asked, Object.values(catalog).flatMap(Object.keys));
    throw new SvcmError("NOT_FOUND", {
      code: "CODE_NOT_FOUND",
      details: `No code ${JSON.stringify(code.slice(0, 80))}. docs/reference/rules.md lists them.`,
      ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
    });
  },
});
