import { withAudit } from "../audit/with-audit.ts";
import { defineOperation } from "../operation.ts";
import type { AffectedProcess } from "../pm2/control/acting.ts";
import { noteProcesses, type ActionSubject } from "../pm2/control/recorded.ts";
import { scaleDown, scaleUp } from "../pm2/control/scale.ts";
import { resolveTarget } from "../pm2/control/target.ts";
import { healthWaiter } from "../rollout/apply/wait-healthy.ts";

export interface ProcessScaleResult {
  readonly ok: true;
  readonly name: string;
  readonly from: number;
  readonly to: number;
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
  refusal: "INVALID_REQUEST",
  async run(ports, { name, namespace, instances, wait, timeoutMs }, caller): Promise<ProcessScaleResult> {
    const about: ActionSubject = { action: "process.scale", target: name };
    const scale = async (begin: () => Promise<void>): Promise<ProcessScaleResult> => {
      const list = await ports.processes.list();
      const found = resolveTarget(list, { scope: "process", name, namespace });
      delete about.target;
      noteProcesses(about, ports, found);
      let begun: Promise<void> | undefined;
      const acting = { ports, timeoutMs, begin: () => (begun ??= begin()), report: caller.report };
      const affected =
        instances > found.length
          ? await scaleUp(acting, found, instances - found.length)
          : await scaleDown(acting, found, found.length - instances);
      if (wait === true && instances > found.length) await (await healthWaiter(ports, timeoutMs))(affected);
      const others = affected.filter(({ pmId }) => !found.some((one) => one.pmId === pmId));
      noteProcesses(about, ports, [...found, ...others]);
      return { ok: true, name, from: found.length, to: instances, affected };
    };
    return withAudit(ports, caller, () => about, scale, { isAlwaysRecorded: true });
  },
});
