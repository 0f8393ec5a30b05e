import { SvcmError } from "../../errors.ts";
import type { Processes } from "../../ports/processes.ts";
import type { ProcessRecord } from "../process-record.ts";

export async function listOrNone(processes: Pick<Processes, "list">): Promise<ProcessRecord[]> {
  try {
    return await processes.list();
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "PM2_NOT_RUNNING") return [];
    throw error;
  }
}
