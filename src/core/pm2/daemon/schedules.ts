import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readDaemonZone } from "./daemon.ts";
import { findPm2, type Pm2Places } from "./find-pm2.ts";
import { hasNoDay } from "../schedule.ts";
import type { ScheduleRequest, Schedules, ScheduleTime, ScheduleTimes } from "../port-daemons.ts";

const TIMEOUT_MS = 5000;

/**
 * PM2 does not pass a time zone to its library, so the zone is that of the daemon. A child with the same `TZ` uses
 * the same library. Its answers are kept: a start of Node.js costs more than the rest of a list.
 */
export function pm2Schedules(places: Pm2Places): Schedules {
  let kept: Kept | undefined;
  return {
    next: async (requests) => {
      if (requests.length === 0) return { zone: "UTC", timesMs: [] };
      const daemonZone = readDaemonZone(places.home);
      const known = kept && kept.daemonZone === daemonZone ? answersOf(kept, requests) : undefined;
      if (known !== undefined) return known;
      const library = await findLibrary(places);
      const judged = requests.map((request) => ({ ...request, isNever: hasNoDay(request.pattern) }));
      const times = library === undefined ? undefined : await runChild({ library, requests: judged }, daemonZone);
      kept = times && { daemonZone, requests, times };
      return times;
    },
  };
}

interface Kept {
  readonly daemonZone: string | undefined;
  readonly requests: readonly ScheduleRequest[];
  readonly times: ScheduleTimes;
}

/** `undefined` if one of them is not known. */
function answersOf({ requests, times }: Kept, wanted: readonly ScheduleRequest[]): ScheduleTimes | undefined {
  const timesMs = wanted.map(({ pattern, afterMs }) => {
    const index = requests.findIndex(
      (request, at) =>
        request.pattern === pattern && request.afterMs <= afterMs && isStillFirst(times.timesMs[at], afterMs),
    );
    return times.timesMs[index];
  });
  return timesMs.every((time) => time !== undefined) ? { zone: times.zone, timesMs } : undefined;
}

/** The first time after an earlier moment is that after a later one, too, until it has come. */
function isStillFirst(time: ScheduleTime | undefined, afterMs: number): boolean {
  return typeof time !== "number" || time > afterMs;
}

const PROGRAM = `
const { library, requests } = JSON.parse(process.argv[1]);
const Cron = require(library);
const next = ({ pattern, afterMs, isNever }) => {
  if (isNever) return null;
  try {
    return Cron(pattern).next(new Date(afterMs))?.getTime() ?? null;
  } catch {
    return "invalid";
  }
};
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
process.stdout.write(JSON.stringify({ zone, timesMs: requests.map(next) }));
`;

function runChild(input: object, zone: string | undefined): Promise<ScheduleTimes | undefined> {
  const env = { PATH: process.env["PATH"], ...(zone !== undefined && { TZ: zone }) };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["-e", PROGRAM, "--", JSON.stringify(input)],
      { env, timeout: TIMEOUT_MS },
      (error, stdout) => {
        resolve(error === null ? (JSON.parse(stdout) as ScheduleTimes) : undefined);
      },
    );
  });
}

/** PM2's own. */
async function findLibrary(places: Pm2Places): Promise<string | undefined> {
  const { code } = await findPm2(places);
  try {
    return code && createRequire(join(code.folder, "package.json")).resolve("croner");
  } catch {
    return undefined;
  }
}
