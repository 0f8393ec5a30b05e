import type { MetricsPorts } from "../telemetry.ts";
import { compareText } from "../../api/issue.ts";
import type { ProcessProblem, ProcessTree } from "../../api/metrics.ts";
import type { ProcessStateName } from "../../api/names.ts";
import { defineOperation } from "../../access/operation.ts";
import { uptimeMs } from "../payload.ts";
import { listScrubbed } from "../../pm2/list.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { appKind, type AppKind } from "../../running/code-evidence.ts";
import { readTreeUsage } from "../../running/read-usage.ts";
import { readStateOf } from "../../running/read-states.ts";
import type { ProcessState } from "../../running/state.ts";

export interface ListedProcess extends Omit<
  ProcessRecord,
  "declaration" | "uniqueId" | "lastStartAt" | "cronRestart" | "listenPorts" | "port"
> {
  readonly kind: AppKind;
  /** From PM2's status and everything else that svcm knows. */
  readonly state: ProcessStateName;
  /** Continues the state. */
  readonly stateReason: string | null;

  readonly problem: ProcessProblem | null;
  /** Present if the process has descendants: CPU and memory are then those of all of them. */
  readonly tree?: ProcessTree;
  /** Null unless the process is online, or if the machine's clock was set back after its start. */
  readonly uptimeMs: number | null;
}

export interface ProcessListResponse {
  readonly processes: readonly ListedProcess[];
}

/** Never starts a daemon. */
export const processList = defineOperation({
  id: "process.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts): Promise<ProcessListResponse> {
    const list = await listScrubbed(ports);
    const [stateOf, usage] = await Promise.all([readStateOf(ports, list), readTreeUsage(ports, list)]);
    const epochMs = ports.clock.now();
    const sorted = list.toSorted((a, b) => compareText(a.name, b.name) || a.pmId - b.pmId);
    return {
      processes: sorted.map((record) => ({ ...toListed(record, stateOf(record), epochMs), ...usage.get(record.pmId) })),
    };
  },
});

function toListed(
  record: ProcessRecord,
  { name: state, reason: stateReason, problem }: ProcessState,
  epochMs: number,
): ListedProcess {
  const {
    declaration: _d,
    uniqueId: _u,
    lastStartAt: _l,
    cronRestart: _c,
    listenPorts: _p,
    port: _port,
    ...fields
  } = record;
  const kind = appKind(record.declaration.settings);
  return { ...fields, kind, state, stateReason, problem, uptimeMs: uptimeMs(record, epochMs) };
}
