import { defineOperation } from "../operation.ts";
import type { ProcessRecord } from "../telemetry/process-record.ts";

/** A process as people and programs see it. Never an argument or a value of its environment. */
export interface ListedProcess extends Omit<ProcessRecord, "declaration" | "uniqueId"> {
  /** Since this run began; null unless it is online. */
  readonly uptimeMs: number | null;
}

export interface ProcessListResponse {
  /** By name, then by PM2's number. */
  readonly processes: readonly ListedProcess[];
}

/** The processes that PM2 knows, of this user's PM2_HOME. Starts no daemon. */
export const processList = defineOperation({
  id: "process.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ processes, clock }): Promise<ProcessListResponse> {
    const list = await processes.list();
    const now = clock.now();
    return { processes: list.toSorted(byNameThenId).map((record) => listed(record, now)) };
  },
});

function listed({ declaration: _digests, uniqueId: _id, ...record }: ProcessRecord, now: number): ListedProcess {
  return { ...record, uptimeMs: record.startedAt === null ? null : Math.max(0, now - record.startedAt) };
}

function byNameThenId(a: ProcessRecord, b: ProcessRecord): number {
  if (a.name === b.name) return a.pmId - b.pmId;
  return a.name < b.name ? -1 : 1;
}
