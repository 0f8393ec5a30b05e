import { compareText } from "../api/issue.ts";
import type { ProcessProblem } from "../api/metrics.ts";
import { defineOperation } from "../operation.ts";
import { problemOf, type Circumstances } from "../pm2/problem.ts";
import { uptimeMs } from "../metrics/from-readings.ts";
import { listScrubbed, circumstancesOf } from "../pm2/scrubbed.ts";
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
    const circumstances = circumstancesOf(ports, list);
    const sorted = list.toSorted((a, b) => compareText(a.name, b.name) || a.pmId - b.pmId);
    return { processes: sorted.map((record) => toListed(record, circumstances)) };
  },
});

function toListed(record: ProcessRecord, circumstances: Circumstances): ListedProcess {
  const { declaration: _digests, uniqueId: _id, lastStartAt: _start, cronRestart: _cron, ...fields } = record;
  return { ...fields, problem: problemOf(record, circumstances), uptimeMs: uptimeMs(record, circumstances.epochMs) };
}
