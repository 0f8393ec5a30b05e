/** Facts of `/proc` about the own process and the processes of PM2. Empty on other systems. */
import type { RunningCommand, OwnProcess } from "../process-record.ts";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";

import { parsePidStat } from "../../files/proc.ts";
import { listIfReadable, readIfReadable, realPathIfReadable } from "../../files/system.ts";
import { userName } from "../../files/host.ts";

const MAX_ANCESTORS = 64;

export function ownProcess(env: Readonly<Record<string, string | undefined>>): OwnProcess {
  const { pm_id: pmId, name } = env;
  const isOfPm2 = pmId !== undefined && /^\d{1,9}$/.test(pmId) && name !== undefined;
  const pids = [process.pid];
  for (let pid = process.ppid; pid > 1 && pids.length < MAX_ANCESTORS; pid = readStat(pid)?.parentPid ?? 0)
    pids.push(pid);
  return { pids, pm2: isOfPm2 ? { pmId: Number(pmId), name } : null };
}

/**
 * The children of PM2's daemon. Read them before its list, which then has each of them that PM2 knows. Empty if the daemon
 * has pid 1, because such a daemon also adopts unrelated processes.
 */
export function daemonChildren(home: string): number[] {
  const daemon = Number(readIfReadable(join(home, "pm2.pid")));
  if (!(daemon > 1)) return [];
  return readIfReadable(`/proc/${daemon}/task/${daemon}/children`).split(" ").filter(Boolean).map(Number);
}

/**
 * A process that was deleted during its launch keeps running; in a cluster, it also keeps handling requests.
 * @param children as they were before the list
 */
export function unlistedPids(
  home: string,
  children: readonly number[],
  listed: readonly { readonly pid?: number }[],
): number[] {
  const listedPids = new Set(listed.map(({ pid }) => pid));
  return children.filter((pid) => !listedPids.has(pid) && isAppOf(home, pid));
}

/** The id is a variable in fork mode, and within the whole record in cluster mode. */
export function isAppOf(home: string, pid: number): boolean {
  const variables = readVariables(pid);
  return pm2HomeIn(variables) === realPathIfReadable(home) && variables.some((one) => /^(?:pm_id|pm2_env)=/.test(one));
}

const RUNTIME = /(?:^|\/)(?:node|nodejs|bun)$/;
const PROGRAM = /(?:^|\/)pm2$/;
/** The kernel's value for a process without a login. */
const NO_LOGIN = "4294967295";

/** Synchronous, because a command ends soon after its effect. */
export function runningCommands(pm2Home: string): RunningCommand[] {
  const home = realPathIfReadable(pm2Home);
  return listIfReadable("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const [runtime = "", ...words] = readIfReadable(`/proc/${pid}/cmdline`).split("\0");
    const at = RUNTIME.test(runtime) ? words.findIndex((word) => PROGRAM.test(word)) : -1;
    if (at === -1 || pm2HomeIn(readVariables(pid)) !== home) return [];
    const [verb, ...rest] = words.slice(at + 1).filter((word) => word !== "" && !word.startsWith("-"));
    const startTime = readStat(pid)?.startTime;
    if (verb === undefined || startTime === undefined) return [];
    return [{ id: `${pid}-${startTime}`, verb, words: rest, user: userOf(pid) }];
  });
}

/** A daemon passes on its `PM2_HOME` as it was written, for example with a slash at the end, or by a link. */
function pm2HomeIn(variables: readonly string[]): string | undefined {
  const valueOf = (name: string): string | undefined =>
    variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
  const pm2Home = valueOf("PM2_HOME");
  if (pm2Home) return realPathIfReadable(resolve(pm2Home));
  const home = valueOf("HOME");
  return home === undefined ? undefined : realPathIfReadable(resolve(home, ".pm2"));
}

/** After `sudo`, the process belongs to root. */
function userOf(pid: string): string {
  const login = readIfReadable(`/proc/${pid}/loginuid`).trim();
  if (login !== "" && login !== NO_LOGIN) return userName(login);
  return userName(statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? "unknown");
}

function readVariables(pid: number | string): string[] {
  return readIfReadable(`/proc/${pid}/environ`).split("\0");
}

function readStat(pid: number | string): ReturnType<typeof parsePidStat> {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`));
}
