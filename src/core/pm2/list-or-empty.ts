import { SvcmError } from "../api/errors.ts";
import type { Processes } from "./port-processes.ts";
import type { ProcessRecord } from "./process-record.ts";

export function listOrEmpty(processes: Pick<Processes, "list">): Promise<readonly ProcessRecord[]> {
  return orEmpty(() => processes.list());
}

/** Empty if PM2 is not running. */
export async function orEmpty<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "PM2_NOT_RUNNING") return [];
    throw error;
  }
}
