import { sortIssues, type Issue } from "../api/issue.ts";
import { refusal } from "../errors.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { checkEnvFiles } from "./check.ts";
import { parseEnvDocument, valuesOf } from "./document.ts";
import { foreignKeyIssues, type EnvPlan } from "./plan.ts";
import { valueRules } from "./value-rules.ts";

export interface Rewrite {
  readonly fileName: string;
  readonly before: string;
  readonly after: string;
  readonly below: readonly { readonly text: string; readonly fileName: string }[];
}

/** @throws {SvcmError} INVALID_PAYLOAD for keys that are not editable, and for new errors */
export function planRewrite(contract: RuntimeContract, rewrite: Rewrite): EnvPlan {
  const changed = changedKeys(rewrite);
  const warnings = newIssues(contract, rewrite, changed);
  const errors = warnings.filter(({ severity }) => severity === "error");
  const issues = sortIssues([...foreignKeyIssues(contract, changed, "values"), ...errors]);
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
  return { text: rewrite.after, changedKeys: changed, ignoredKeys: [], changes: [], warnings };
}

function changedKeys({ before, after }: Rewrite): string[] {
  const [old, now] = [valuesOf(parseEnvDocument(before)), valuesOf(parseEnvDocument(after))];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
}

/** Changed values are checked again. */
function newIssues(contract: RuntimeContract, rewrite: Rewrite, changed: readonly string[]): Issue[] {
  const { before, after, below, fileName } = rewrite;
  const known = new Map<string, number>();
  for (const issue of checkEnvFiles(contract, [...below, { text: before, fileName }]))
    known.set(issueKey(issue), (known.get(issueKey(issue)) ?? 0) + 1);
  return checkEnvFiles(contract, [...below, { text: after, fileName }]).filter((issue) => {
    const left = known.get(issueKey(issue)) ?? 0;
    known.set(issueKey(issue), left - 1);
    return left <= 0 || (VALUE_CODES.has(issue.code) && changed.includes(String(issue.path[0])));
  });
}

const VALUE_CODES: ReadonlySet<string> = new Set(valueRules.map(({ code }) => code));

/** An edit moves lines, so locations are not compared. */
function issueKey({ code, path, at }: Issue): string {
  return [code, at?.file, ...path].join(" ");
}
