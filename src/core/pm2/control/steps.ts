import type { Ports } from "../../ports/index.ts";
import { resolveTarget, targetName } from "./target.ts";
import { createStep } from "./act-on.ts";
import type { ActionInput, Steps } from "./action.ts";
import { declaredSteps } from "./declared-steps.ts";
import { separateOwn } from "./own-processes.ts";
import { noteProcesses, type ActionSubject } from "./action-subject.ts";

/**
 * Records the affected processes in `about` as soon as they are known.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, INVALID_REQUEST, PM2_FAILED; for the
 * scope `ecosystem` also PROCESS_ACTION_REFUSED and the errors of reading its file.
 */
export async function createSteps(ports: Ports, input: ActionInput, subject: ActionSubject): Promise<Steps> {
  const { scope } = input;
  if (scope === "ecosystem") return declaredSteps(ports, input, subject);
  const request = { ...input, scope };
  const targets = resolveTarget(await ports.processes.list(), request);
  noteProcesses(subject, ports, targets);
  if (scope === "process") delete subject.target;
  const { others, own } = separateOwn(ports, input.action, targets, scope === "namespace");
  return {
    name: targetName(request, targets),
    create: (context) => others.map((record) => createStep(context, record)),
    skipped: own,
    readEffect: () => Promise.resolve({ warnings: [] }),
  };
}
