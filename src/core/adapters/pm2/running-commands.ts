import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { RunningCommand } from "../../events/sightings.ts";
import { parsePidStat } from "../../metrics/proc.ts";
import { namesIn, textIfReadable } from "../files/if-readable.ts";

const RUNTIME = /(?:^|\/)(?:node|nodejs|bun)$/;
const PROGRAM = /(?:^|\/)pm2$/;
/** The kernel's value for a process without a login. */
const NO_LOGIN = "4294967295";

/** Synchronous, because a command ends soon after its effect. */
export function runningCommands(pm2Home: string): RunningCommand[] {
  return namesIn("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const [runtime = "", ...words] = textIfReadable(`/proc/${pid}/cmdline`).split("\0");
    const at = RUNTIME.test(runtime) ? words.findIndex((word) => PROGRAM.test(word)) : -1;
    if (at === -1 || homeOf(pid) !== pm2Home) return [];
    const [verb, ...rest] = words.slice(at + 1).filter((word) => word !== "" && !word.startsWith("-"));
    const startTime = parsePidStat(textIfReadable(`/proc/${pid}/stat`))?.startTime;
    if (verb === undefined || startTime === undefined) return [];
    return [{ id: `${pid}-${startTime}`, verb, words: rest, user: userOf(pid) }];
  });
}

function homeOf(pid: string): string | undefined {
  const variables = textIfReadable(`/proc/${pid}/environ`).split("\0");
  const valueOf = (name: string): string | undefined =>
    variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
  const home = valueOf("PM2_HOME");
  if (home) return resolve(home);
  const user = valueOf("HOME");
  return user === undefined ? undefined : resolve(user, ".pm2");
}

/** After `sudo`, the process belongs to root. */
function userOf(pid: string): string {
  const login = textIfReadable(`/proc/${pid}/loginuid`).trim();
  const uid = login === "" || login === NO_LOGIN ? ownerOf(pid) : login;
  const line = textIfReadable("/etc/passwd")
    .split("\n")
    .find((entry) => entry.split(":")[2] === uid);
  return line?.split(":")[0] ?? `uid ${uid}`;
}

function ownerOf(pid: string): string {
  try {
    return String(statSync(`/proc/${pid}`).uid);
  } catch {
    return "unknown";
  }
}
