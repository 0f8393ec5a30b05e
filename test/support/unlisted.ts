import { readFileSync } from "node:fs";
import type { Ports } from "../../src/core/index.ts";
import type { Pm2 } from "./pm2-daemon.ts";

/** Processes that this PM2 runs and does not list. */
export async function unlisted(own: Pm2, { processes }: Ports, daemon: number): Promise<number[]> {
  const listed = new Set((await processes.list()).map(({ pid }) => pid));
  return own.pids().filter((pid) => pid !== daemon && !listed.has(pid) && isAppOf(pid, daemon));
}

function isAppOf(pid: number, daemon: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(` ${daemon} `);
  } catch {
    return false;
  }
}
