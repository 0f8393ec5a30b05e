import { withAudit } from "../../audit/with-audit.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/action-subject.ts";
import { isAppStep, type DecidedStep } from "../step.ts";
import type { ApplyRun } from "./end-failed.ts";

/** One pair of records for each step: `process.update` with the keys that change, and the processes. */
export function withStepAudit(run: ApplyRun, step: DecidedStep, work: () => Promise<void>): Promise<void> {
  if (!isAppStep(step)) return work();
  const { ports, planned, caller } = run;
  const keys = step.why.flatMap(({ field, key }) => (field === "env" && key !== null ? [key] : []));
  const subject: ActionSubject = { action: `process.${step.do}`, environment: planned.content.name };
  if (keys.length > 0) subject.keys = keys;
  const targets = step.pmIds.map((pmId) => ({ name: step.app, pmId }));
  noteProcesses(subject, ports, targets.length > 0 ? targets : [{ name: step.app, pmId: null }]);
  return withAudit(
    ports,
    caller,
    () => subject,
    async (begin) => {
      await begin();
      await work();
      if (!STARTING.has(step.do)) return;
      const started = (await ports.processes.list()).filter(({ name }) => name === step.app);
      noteProcesses(subject, ports, step.do === "replace" ? [...targets, ...started] : started);
    },
  );
}

const STARTING: ReadonlySet<string> = new Set(["start", "scale", "replace"]);
