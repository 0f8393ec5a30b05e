import { compareText, type Issue } from "../../api/issue.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import type { CheckedEcosystem } from "./rule.ts";
import { rules } from "./index.ts";
import type { Scrub } from "../scrub.ts";

/**
 * Everything that PM2 would refuse, mistake or silently ignore in an ecosystem file: first the issues of the file,
 * then those of each app, in the order of the file. Issues never show a secret.
 */
export function checkEcosystem(ecosystem: CheckedEcosystem, scrub: Scrub): Issue[] {
  return Array.from(findingsOf(rules, ecosystem), (finding) => scrubbed(toIssue(finding), scrub)).toSorted(
    (a, b) => appOf(a) - appOf(b) || compareText(a.code, b.code) || compareText(a.message, b.message),
  );
}

function scrubbed(issue: Issue, scrub: Scrub): Issue {
  const path = issue.path.map((step) => (typeof step === "string" ? scrub(step) : step));
  return { ...issue, path, message: scrub(issue.message) };
}

function appOf({ path: [, index = -1] }: Issue): number {
  return Number(index);
}
