import { withAudit } from "../../access/with-audit.ts";
import { noteProcesses, type ActionSubject } from "../control/action-subject.ts";
import { pmIdsOf } from "../difference.ts";
import { isAppStep, type DecidedStep } from "../step.ts";
import type { ApplyRun } from "./end-failed.ts";

/**
 * One pair of records for each step: `process.update` with the keys that change, and the processes. Returns PM2's numbers of
 * the processes that the step started, which the plan does not know; `undefined` if there are none, or if PM2 does not list
 * them.
 */
export async function withStepAudit(
  run: ApplyRun,
  step: DecidedStep,
  work: () => Promise<void>,
): Promise<number[] | undefined> {
  if (!isAppStep(step)) {
    await work();
    return undefined;
  }
  const { ports, planned, caller } = run;
  const keys = step.why.flatMap(({ field, key }) => (field === "env" && key !== null ? [key] : []));
  const subject: ActionSubject = { action: `process.${step.do}`, environment: planned.content.name };
  if (keys.length > 0) subject.keys = keys;
  const targets = step.pmIds.map((pmId) => ({ name: step.app, pmId }));
  noteProcesses(subject, ports, targets.length > 0 ? targets : [{ name: step.app, pmId: null }]);
  return await withAudit(
    ports,
    caller,
    () => subject,
    async (begin) => {
      await begin();
      await work();
      if (!STARTING.has(step.do)) return undefined;
      // The step is done, so a failed look is not its failure.
      const listed = await ports.processes.list().catch(() => undefined);
      const started = listed?.filter(({ name }) => name === step.app);
      if (started !== undefined)
        noteProcesses(subject, ports, step.do === "replace" ? [...targets, ...started] : started);
      return started && pmIdsOf(started);
    },
  );
}

const STARTING: ReadonlySet<string> = new Set(["register", "start", "scale", "replace"]);
