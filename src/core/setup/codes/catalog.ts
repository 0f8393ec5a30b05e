import codes from "../../../../config/codes.json" with { type: "json" };
import type { Code } from "../../api/issue.ts";
import type { CodeDoc, CodeDocs } from "../../findings/rule.ts";

/** By topic. */
export const catalog: Readonly<Record<string, CodeDocs>> = codes;

export function findCodeDoc(code: string): (CodeDoc & { readonly topic: string }) | undefined {
  for (const [topic, docs] of Object.entries(catalog)) {
    const doc = Object.hasOwn(docs, code) ? docs[code as Code] : undefined;
    if (doc) return { topic, ...doc };
  }
  return undefined;
}
