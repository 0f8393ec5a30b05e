import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { isOwnProcess, type ProcessRecord } from "../process-record.ts";
import { processLabel } from "./target.ts";
import { toSkipped, type SkippedProcess } from "./action.ts";

/**
 * A stop or restart of these would end them before they respond.
 * @throws {SvcmError} SELF_ACTION_BLOCKED unless `mayLeaveOut`
 */
export function separateOwn(
  ports: Ports,
  action: ProcessAction,
  targets: readonly ProcessRecord[],
  maySkipOwn: boolean,
): { others: readonly ProcessRecord[]; own: SkippedProcess[] } {
  if (action === "start") return { others: targets, own: [] };
  const self = ports.processes.own();
  const own = targets.filter((record) => isOwnProcess(record, self));
  const [first] = own;
  if (first !== undefined && !maySkipOwn) {
    throw new SvcmError("SELF_ACTION_BLOCKED", {
      details: `${processLabel(first)} serves this request: it cannot ${action} itself.`,
      hint: `From a terminal: svcm process ${action} ${first.name} --id ${first.pmId}`,
    });
  }
  return {
    others: targets.filter((record) => !own.includes(record)),
    own: own.map((record) => toSkipped(record, "SELF_ACTION_BLOCKED")),
  };
}
