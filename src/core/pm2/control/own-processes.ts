import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { isOwn, type ProcessRecord } from "../process-record.ts";
import { label } from "./target.ts";
import { skipped, type SkippedProcess } from "./acting.ts";

/**
 * A stop or restart of these would end them before they respond.
 * @throws {SvcmError} SELF_ACTION_BLOCKED unless `mayLeaveOut`
 */
export function withoutOwn(
  ports: Ports,
  action: ProcessAction,
  targets: readonly ProcessRecord[],
  mayLeaveOut: boolean,
): { others: readonly ProcessRecord[]; own: SkippedProcess[] } {
  if (action === "start") return { others: targets, own: [] };
  const us = ports.processes.ownProcess();
  const own = targets.filter((record) => isOwn(record, us));
  const [first] = own;
  if (first !== undefined && !mayLeaveOut) {
    throw new SvcmError("SELF_ACTION_BLOCKED", {
      details: `${label(first)} serves this request: it cannot ${action} itself.`,
      hint: `From a terminal: svcm process ${action} ${first.name} --id ${first.pmId}`,
    });
  }
  return {
    others: targets.filter((record) => !own.includes(record)),
    own: own.map((record) => skipped(record, "SELF_ACTION_BLOCKED")),
  };
}
