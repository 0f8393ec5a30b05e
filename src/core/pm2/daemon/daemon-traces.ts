import { leftOverText, type DaemonTraces, type Survivor } from "../daemon-traces.ts";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { isRecord } from "../../words/record.ts";
import { listIfReadable, readIfReadable, statIfReadable } from "../../files/system.ts";
import { LinkFailure } from "./failure.ts";
import { findSurvivors, isDaemon, isForegroundDaemon } from "./proc.ts";

/** PM2 removes its pid file when it stops on request or by a signal. */
export async function readDaemonTraces(pm2Home: string): Promise<DaemonTraces> {
  const pidFile = join(pm2Home, "pm2.pid");
  const pid = Number(readIfReadable(pidFile));
  const written = ["logs", "pids"].flatMap((folder) =>
    listIfReadable(join(pm2Home, folder)).map((name) => join(pm2Home, folder, name)),
  );
  const times = [join(pm2Home, "pm2.log"), ...written].map((path) => statIfReadable(path)?.mtimeMs ?? 0);
  const signMs = Math.max(0, ...times);
  return {
    pid: pid > 0 ? pid : null,
    savedNames: savedNames(pm2Home),
    signMs: signMs === 0 ? null : signMs,
    startedMs: statIfReadable(pidFile)?.mtimeMs ?? null,
    survivors: pid > 0 && !isDaemon(pid) && !isForegroundDaemon(pid) ? await readSurvivors(pm2Home) : [],
  };
}

/** PM2's own module looks for the daemon every two seconds. */
const ENDING_MS = 4000;
const LOOK_MS = 100;

/** Waits for those that end by themselves. */
export async function readSurvivors(pm2Home: string): Promise<readonly Survivor[]> {
  const deadlineMs = performance.now() + ENDING_MS;
  for (;;) {
    const found = findSurvivors(pm2Home);
    if (performance.now() >= deadlineMs || !found.some(({ mayEnd }) => mayEnd)) return found;
    await setTimeout(LOOK_MS);
  }
}

/** @throws {LinkFailure} PROCESS_LEFT_OVER: a start would run the app twice */
export async function requireEnded(pm2Home: string, app: string): Promise<void> {
  const survivors = (await readSurvivors(pm2Home)).filter(({ name }) => name === app);
  if (survivors.length > 0) throw new LinkFailure("PROCESS_LEFT_OVER", leftOverText(survivors, "absent"));
}

/** The saved list also has the variables of each app, so only names leave this function. */
function savedNames(pm2Home: string): string[] {
  try {
    const saved: unknown = JSON.parse(readIfReadable(join(pm2Home, "dump.pm2")));
    if (!Array.isArray(saved)) return [];
    return [
      ...new Set(saved.flatMap((app) => (isRecord(app) && typeof app["name"] === "string" ? [app["name"]] : []))),
    ];
  } catch {
    return [];
  }
}
