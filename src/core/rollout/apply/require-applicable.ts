import { foreignCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Plan } from "../../api/rollout.ts";
import { SvcmError } from "../../api/errors.ts";

/** @throws {SvcmError} PLAN_STALE, WORKTREE_DIRTY, APPLY_REFUSED */
export function requireApplicable(
  plan: Plan,
  {
    plan: requested,
    allowDirty,
    switchEnvironment = false,
  }: Pick<InputOf<"rollout.apply">, "plan" | "allowDirty" | "switchEnvironment">,
): void {
  const { id, issues, changed, git } = plan;
  if (requested !== undefined && requested !== id)
    throw new SvcmError("PLAN_STALE", {
      plan,
      details: `The plan ${requested} is out of date: the ecosystem file, an env file or a process changed. The plan is now ${id}.`,
      hint: "Read the new plan: svcm plan",
    });
  const dirty = git?.dirty ?? [];
  if (changed && dirty.length > 0 && !allowDirty)
    throw new SvcmError("WORKTREE_DIRTY", {
      details: `No commit holds what would run, because these files have changes: ${dirty.join(", ")}.`,
      hint: "Commit the changes, or apply them with --allow-dirty.",
    });
  const isAccepted = (code: string): boolean => switchEnvironment && code === "ENVIRONMENT_SWITCH";
  const errors = issues.filter(({ severity, code }) => severity === "error" && !isAccepted(code));
  const [issue] = errors;
  if (issue === undefined) return;
  const { code, message: details } = issue;
  throw new SvcmError("APPLY_REFUSED", { code: foreignCode(code), details, issues: errors });
}
