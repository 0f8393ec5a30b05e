import type { Issue } from "../api/issue.ts";
import { PROJECT_FILE, type UndecidedFile } from "./project.ts";

/** While the user has not decided, plan and apply would act on half of the truth. */
export function undecidedIssues(undecided: readonly UndecidedFile[], environment: string): Issue[] {
  return undecided.flatMap(({ file, environment: only, why }, index): Issue[] => {
    if (only !== undefined && only !== environment) return [];
    const reason = why === undefined ? "" : `: ${why}`;
    const message = `${PROJECT_FILE} does not say whether ${environment} has ${file}${reason}. Name it below ecosystem or leave it out; then run: svcm init --confirm`;
    return [{ code: "LAYOUT_UNDECIDED", severity: "error", path: ["undecided", index], message }];
  });
}
