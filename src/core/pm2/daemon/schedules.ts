import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readDaemonZone } from "./daemon.ts";
import { findPm2, type Pm2Places } from "./find-pm2.ts";
import type { Schedules, ScheduleTimes } from "../port-daemons.ts";

const TIMEOUT_MS = 5000;

/**
 * PM2 does not pass a time zone to its library, so the zone is that of the daemon. A child with the same `TZ` uses
 * the same library.
 */
export function pm2Schedules(places: Pm2Places): Schedules {
  return {
    next: async (requests) => {
      if (requests.length === 0) return { zone: "UTC", timesMs: [] };
      const library = await findLibrary(places);
      return library === undefined ? undefined : runChild({ library, requests }, readDaemonZone(places.home));
    },
  };
}

const PROGRAM = `
const { library, requests } = JSON.parse(process.argv[1]);
const Cron = require(library);
const next = ({ pattern, afterMs }) => {
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
