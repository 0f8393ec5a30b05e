import type { ApplyPorts } from "../apply/ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";
import { type AffectedProcess, noteProcesses } from "../control/action.ts";
import { scaleDown, scaleUp } from "../control/scale.ts";
import { resolveTarget } from "../../pm2/target.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

import { createHealthWaiter } from "../apply/gate.ts";
import { once } from "../../words/once.ts";

export interface ProcessScaleResult {
  readonly ok: true;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The number that PM2 lists afterwards. It differs from `to` if another command changed it at the same time. */
  readonly now: number;
  readonly affected: readonly AffectedProcess[];
}

/**
 * Starts or deletes processes of an app, one by one, until it has the requested number. A new process gets the
 * definition of the existing ones; the newest are deleted first. If a new process does not stay online, it is deleted
 * again.
 *
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, PROCESS_ACTION_FAILED,
 * PROCESS_ACTION_REFUSED, PM2_FAILED, AUDIT_FAILED
 */
export const processScale = defineOperation({
  id: "process.scale",
  access: "act",
  async run(ports: ApplyPorts, { name, namespace, instances, wait, timeoutMs }, caller): Promise<ProcessScaleResult> {
    const scale = async (attempt: Attempt): Promise<ProcessScaleResult> => {
      const list = await ports.processes.list();
      const targets = resolveTarget(list, { scope: "process", name, namespace });
      attempt.note({ target: undefined });
      noteProcesses(attempt, ports, targets);
      const acting = { ports, timeoutMs, begin: once(attempt.begin), report: caller.report };
      const affected =
        instances > targets.length
          ? await scaleUp(acting, targets, instances - targets.length)
          : await scaleDown(acting, targets, targets.length - instances);
      if (wait === true && instances > targets.length) await (await createHealthWaiter(ports, timeoutMs))(affected);
      const others = affected.filter(({ pmId }) => !targets.some((one) => one.pmId === pmId));
      noteProcesses(attempt, ports, [...targets, ...others]);
      return {
        ok: true,
        name,
        from: targets.length,
        to: instances,
        now: await countSiblings(ports, targets),
        affected,
      };
    };
    return withAudit(ports, caller, { action: "process.scale", target: name }, scale, { isAlwaysRecorded: true });
  },
});

async function countSiblings({ processes }: HasProcesses, [one]: readonly ProcessRecord[]): Promise<number> {
  const list = await processes.list();
  return list.filter(({ name, namespace }) => name === one?.name && namespace === one.namespace).length;
}
