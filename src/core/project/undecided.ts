import { SvcmError } from "../api/errors.ts";
import type { Issue } from "../api/issue.ts";
import { type Project, PROJECT_FILE, type UndecidedFile } from "./project.ts";

/** While the user has not decided, plan and apply would act on half of the truth. */
export function undecidedIssues(undecided: readonly UndecidedFile[], environment: string): Issue[] {
  return undecided.flatMap(({ file, environment: only, why }, index): Issue[] => {
    if (only !== undefined && only !== environment) return [];
    const reason = why === undefined ? "" : `: ${why}`;
    const message = `${PROJECT_FILE} does not say whether ${environment} has ${file}${reason}. Name it below ecosystem or leave it out; then run: svcm init --confirm`;
    return [{ code: "LAYOUT_UNDECIDED", severity: "error", path: ["undecided", index], message }];
  });
}

/**
 * Several environments and no `default`: nothing says which one this machine is, and an apply of another one would, for
 * example, turn production into development. So what changes processes needs a name.
 * @throws {SvcmError} INVALID_ENVIRONMENT with the code ENVIRONMENT_REQUIRED
 */
export function requireEnvironment(
  project: Project | undefined,
  requested: string | undefined,
  nodeEnv: string | undefined,
): void {
  if (project === undefined || project.hasDefault || requested !== undefined || nodeEnv?.trim()) return;
  const started = new Set(Object.values(project.services).flatMap(({ ecosystem }) => Object.keys(ecosystem)));
  if (started.size < 2) return;
  throw new SvcmError("INVALID_ENVIRONMENT", {
    code: "ENVIRONMENT_REQUIRED",
    details: `svcm.yaml declares no default environment, and several start apps. Accepted: ${[...started].join(", ")}.`,
    hint: `Name the one of this machine with -e, or once for all: svcm init --machine-environment NAME`,
  });
}
