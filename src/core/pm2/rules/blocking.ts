import type { Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import { rules } from "./index.ts";
import type { CheckedEcosystem } from "./rule.ts";

export interface BlockingIssue {
  readonly issue: Issue;
  /** The names of all apps that take part. */
  readonly apps: readonly string[];
  readonly isAcceptedOnceRunning: boolean;
}

/** The findings of `svcm ecosystem check` that plan and apply refuse, too. One list, so that both agree. */
export function blockingIssues(ecosystem: Omit<CheckedEcosystem, "implied">): BlockingIssue[] {
  const checked = { ...ecosystem, implied: [] };
  return rules.flatMap(({ blocks, code, severity, check }) =>
    blocks === undefined
      ? []
      : Array.from(check(checked), ({ apps = [], ...finding }) => ({
          issue: toIssue({ severity, ...finding, code }),
          apps,
          isAcceptedOnceRunning: blocks !== "always",
        })),
  );
}
