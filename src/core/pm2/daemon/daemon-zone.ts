import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { readIfReadable } from "../../files/system.ts";

const ZONES = "/zoneinfo/";

/** `TZ` of the daemon; `undefined` if it uses the zone of the machine, or if its environment cannot be read. */
export function readDaemonZone(pm2Home: string): string | undefined {
  return readEnvironment(pm2Home)
    .find((variable) => variable.startsWith("TZ="))
    ?.slice("TZ=".length);
}

/**
 * The zone in which the daemon writes times; `undefined` if it is that of this process, or not known.
 * @param own `TZ` of this process
 */
export function otherZone(pm2Home: string, own = process.env["TZ"]): string | undefined {
  const zone = readDaemonZone(pm2Home);
  if (zone === own || readEnvironment(pm2Home).length < 2) return undefined;
  return zone ?? machineZone();
}

function readEnvironment(pm2Home: string): string[] {
  const pid = readIfReadable(join(pm2Home, "pm2.pid")).trim();
  return readIfReadable(`/proc/${pid}/environ`).split("\0");
}

function machineZone(): string | undefined {
  try {
    const [, zone] = readlinkSync("/etc/localtime").split(ZONES);
    return zone;
  } catch {
    return "UTC";
  }
}
