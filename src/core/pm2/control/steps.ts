import type { Ports } from "../../ports/index.ts";
import { resolveTarget, targetName } from "./target.ts";
import { stepOn } from "./act-on.ts";
import type { ActionInput, Steps } from "./acting.ts";
import { declaredSteps } from "./declared-steps.ts";
import { withoutOwn } from "./own-processes.ts";
import { noteProcesses, type ActionSubject } from "./recorded.ts";

/**
 * Records the affected processes in `about` as soon as they are known.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, INVALID_REQUEST, PM2_FAILED; for the
 * scope `ecosystem` also PROCESS_ACTION_REFUSED and the errors of reading its file.
 */
export async function stepsFor(ports: Ports, input: ActionInput, about: ActionSubject): Promise<Steps> {
  const { scope } = input;
  if (scope === "ecosystem") return declaredSteps(ports, input, about);
  const asked = { ...input, scope };
  const targets = resolveTarget(await ports.processes.list(), asked);
  noteProcesses(about, ports, targets);
  if (scope === "process") delete about.target;
  const { others, own } = withoutOwn(ports, input.action, targets, scope === "namespace");
  return {
    name: targetName(asked, targets),
    of: (acting) => others.map((record) => stepOn(acting, record)),
    skipped: own,
    after: () => Promise.resolve({ warnings: [] }),
  };
}
