import { compareText } from "../api/issue.ts";
import type { ProcessProblem } from "../api/metrics.ts";
import { defineOperation } from "../operation.ts";
import { findProblem, type ProblemContext } from "../pm2/problem.ts";
import { uptimeMs } from "../metrics/from-readings.ts";
import { listScrubbed, readProblemContext } from "../pm2/list-scrubbed.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

export interface ListedProcess extends Omit<ProcessRecord, "declaration" | "uniqueId" | "lastStartAt" | "cronRestart"> {
  /** A problem that PM2's status does not show. */
  readonly problem: ProcessProblem | null;
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
  async run(ports): Promise<ProcessListResponse> {
    const list = await listScrubbed(ports);
    const circumstances = readProblemContext(ports, list);
    const sorted = list.toSorted((a, b) => compareText(a.name, b.name) || a.pmId - b.pmId);
    return { processes: sorted.map((record) => toListed(record, circumstances)) };
  },
});

function toListed(record: ProcessRecord, circumstances: ProblemContext): ListedProcess {
  const { declaration: _digests, uniqueId: _id, lastStartAt: _start, cronRestart: _cron, ...fields } = record;
  return { ...fields, problem: findProblem(record, circumstances), uptimeMs: uptimeMs(record, circumstances.epochMs) };
}
