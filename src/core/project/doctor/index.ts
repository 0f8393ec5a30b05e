import type { Issue } from "../../api/issue.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import type { DoctorRule, Examined } from "./examined.ts";
import * as env from "./env-rules.ts";
import * as layout from "./layout-rules.ts";

/** In report order. `running` needs PM2. */
export const doctorChecks = ["layout", "ecosystem", "env", "running", "keys"] as const;
export type DoctorCheck = (typeof doctorChecks)[number];

export const doctorRules: Readonly<Record<DoctorCheck, readonly DoctorRule[]>> = {
  layout: [layout.notSetUp, layout.unnamedFiles, layout.missingFiles, layout.bareEnvironments],
  ecosystem: [layout.scriptLikeFiles],
  env: [env.trackedSecrets, env.publicSecrets, env.keysOfCode, env.keysOfFiles, env.lockedFiles],
  running: [],
  keys: [layout.guessedKeys],
};

export function doctorIssues(check: DoctorCheck, examined: Examined): Issue[] {
  return Array.from(findingsOf(doctorRules[check], examined), ({ file, ...finding }) => ({
    ...toIssue(finding, [check]),
    ...(file !== undefined && { at: { file, line: 1, column: 1 } }),
  }));
}
