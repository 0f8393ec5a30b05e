/** Facts of `/proc` about the own process and the processes of PM2. Empty on other systems. */
import type { RunningCommand, OwnProcess } from "../process-record.ts";
import type { Survivor } from "../daemon-traces.ts";
import type { ForeignRun } from "../port-processes.ts";
import { existsSync, readlinkSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorCode } from "../../words/thrown.ts";

import { hasEnded, parseEnviron, parsePidStat } from "../../files/proc.ts";
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

/** PM2 5 to 7 set it as the title of the process. */
const DAEMON_TITLE = /^PM2 v(\S+): God Daemon \((.*)\)/;

export interface TitledDaemon {
  readonly pid: string;
  readonly pm2Version: string;
  readonly home: string;
}

/** Each PM2 daemon that the system shows. */
export function titledDaemons(): TitledDaemon[] {
  return listIfReadable("/proc").flatMap((pid): TitledDaemon[] => {
    if (!/^\d+$/.test(pid)) return [];
    const [, pm2Version, home] = DAEMON_TITLE.exec(readIfReadable(`/proc/${pid}/cmdline`).split("\0")[0] ?? "") ?? [];
    return pm2Version === undefined || home === undefined || !existsSync(`/proc/${pid}`)
      ? []
      : [{ pid, pm2Version, home }];
  });
}

export function isDaemon(pid: number | string): boolean {
  return DAEMON_TITLE.test(readIfReadable(`/proc/${pid}/cmdline`));
}

/** A container may have another folder of that name. `undefined` if this user may not know. */
export function isHomeOf({ pid, home }: Pick<TitledDaemon, "pid" | "home">, pm2Home: string): boolean | undefined {
  // A folder that was removed cannot be compared.
  if (!existsSync(pm2Home)) return home === pm2Home && !isContained(pid);
  return isSameFolder(`/proc/${pid}/root${home}`, pm2Home);
}

/** In a container, where the same path is another file. Each user may read this. @see pid_namespaces(7) */
export function isContained(pid: number | string): boolean {
  return /^NSpid:\t\d+\t/m.test(readIfReadable(`/proc/${pid}/status`));
}

function isSameFolder(path: string, other: string): boolean | undefined {
  try {
    const [one, two] = [statSync(path), statSync(other)];
    return one.dev === two.dev && one.ino === two.ino;
  } catch (error) {
    return errorCode(error) === "EACCES" ? undefined : false;
  }
}

/** In the foreground, a daemon keeps the title of its program. */
export function isForegroundDaemon(pid: number | string): boolean {
  return /pm2-(?:runtime|docker)|--no-daemon/.test(readIfReadable(`/proc/${pid}/cmdline`));
}

/**
 * The daemon of PM2_HOME runs in another container, where its pids are those of other processes here. A program that runs
 * PM2 within itself has neither title, but the socket.
 */
export function isElsewhere(home: string): boolean {
  if (process.platform !== "linux") return false;
  const pid = readIfReadable(join(home, "pm2.pid")).trim();
  if (!/^\d+$/.test(pid) || isDaemon(pid) || isForegroundDaemon(pid)) return false;
  const isListening = new Map(socketRows(home).map(({ inode }) => [`socket:[${inode}]`, home]));
  return !holdersOf(isListening, [pid]).some((holder) => holder.pid === pid);
}

/** The row of a socket that accepts connections. The name stays there after its file was removed. */
const LISTENING_ROW = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) (\/.*)\/rpc\.sock$/;

/**
 * The pids of daemons that run, although the socket leads to none of them, or to another one: its file was removed. PM2's
 * list lacks their apps. Under `pm2-runtime`, a daemon has no title, but it holds the socket. Empty during a renewal, which
 * has two daemons.
 * @param isReached the socket leads to a daemon
 */
export function lostDaemons(home: string, isReached: boolean): number[] {
  const rows = socketRows(home);
  if (rows.length <= Number(isReached) || existsSync(renewalPath(home))) return [];
  const reached = isReached ? readIfReadable(join(home, "pm2.pid")).trim() : "";
  const titled = titledDaemons();
  const named = new Map(rows.map((row) => [`socket:[${row.inode}]`, row.folder]));
  const holders = isReached && reached === "" ? [] : holdersOf(named);
  const own = [...titled, ...holders].filter((one) => one.pid !== reached && isHomeOf(one, home) === true);
  return [...new Set(own.map(({ pid }) => Number(pid)))];
}

function socketRows(home: string) {
  return readIfReadable("/proc/net/unix")
    .split("\n")
    .flatMap((row) => {
      const [, inode, folder] = LISTENING_ROW.exec(row) ?? [];
      return folder === undefined || (folder !== home && !isSameFolder(folder, home)) ? [] : [{ inode, folder }];
    });
}

/** Of other users, only what this one may see. @param sockets the folder of each, by the name that `/proc` gives it */
function holdersOf(
  sockets: ReadonlyMap<string, string>,
  pids = listIfReadable("/proc"),
): Pick<TitledDaemon, "pid" | "home">[] {
  return pids.flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const open = listIfReadable(`/proc/${pid}/fd`).map((fd) => sockets.get(linkTarget(`/proc/${pid}/fd/${fd}`)));
    const home = open.find((folder) => folder !== undefined);
    return home === undefined ? [] : [{ pid, home }];
  });
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The processes of PM2 daemons with another PM2_HOME that run one of the scripts, outside of containers. */
export function runsElsewhere(home: string, scripts: readonly string[]): ForeignRun[] {
  if (scripts.length === 0) return [];
  const daemons = titledDaemons().filter((one) => one.home !== home && isHomeOf(one, home) !== true);
  return daemons.flatMap((daemon) => {
    if (isContained(daemon.pid)) return [];
    return childrenOf(daemon.pid).flatMap((pid): ForeignRun[] => {
      const words = readIfReadable(`/proc/${pid}/cmdline`).split(/[\0 ]/);
      const script = scripts.find((path) => words.includes(path));
      return script === undefined ? [] : [{ script, pid, home: daemon.home, user: processUser(pid) }];
    });
  });
}

export function renewalPath(pm2Home: string): string {
  return join(pm2Home, "svcm", "renew.json");
}

/** The pid of a daemon that a signal or a debugger has stopped. */
export function suspendedDaemon(home: string): number | undefined {
  const pid = Number(readIfReadable(join(home, "pm2.pid")));
  return pid > 0 && isStopped(pid) ? pid : undefined;
}

/** @see proc_pid_stat(5) */
export function isStopped(pid: number | string): boolean {
  return readStat(pid)?.state.toUpperCase() === "T";
}

/**
 * The children of PM2's daemon. Read them before its list, which then has each of them that PM2 knows. Empty if the daemon
 * has pid 1, because such a daemon also adopts unrelated processes.
 */
export function daemonChildren(home: string): number[] {
  const daemon = Number(readIfReadable(join(home, "pm2.pid")));
  return daemon > 1 ? childrenOf(daemon) : [];
}

function childrenOf(pid: number | string): number[] {
  return readIfReadable(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
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

/**
 * Processes of apps that outlived their daemon, without their children. Beside a later daemon, they are older than it. A
 * program that an app left behind, such as an agent, has the same variables. Linux only; empty elsewhere.
 */
export function findSurvivors(home: string): Survivor[] {
  const daemon = Number(readIfReadable(join(home, "pm2.pid")));
  const sinceTicks = Number((daemon > 0 ? readStat(daemon) : undefined)?.startTime ?? Infinity);
  const isFormer = (pid: number): boolean => Number(readStat(pid)?.startTime) < sinceTicks;
  const pids = listIfReadable("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? [Number(pid)] : []));
  const ofApps = new Set(
    pids.filter((pid) => pid !== process.pid && isFormer(pid) && !isContained(pid) && isAppOf(home, pid)),
  );
  return [...ofApps].flatMap((pid): Survivor[] => {
    const stat = readStat(pid);
    const {
      name,
      pm_pid_path: pidFile,
      pmx,
      exec_interpreter: interpreter = "",
    } = parseEnviron(readIfReadable(`/proc/${pid}/environ`));
    if (stat === undefined || name === undefined || hasEnded(stat)) return [];
    const { parentPid } = stat;
    // During a renewal, the former daemon runs as well.
    if (ofApps.has(parentPid) || parentPid === daemon || isDaemon(parentPid)) return [];
    return isApp(pid, pidFile) ? [{ pid, name, mayEnd: pmx !== "false" && RUNTIME.test(interpreter) }] : [];
  });
}

/** PM2 writes the file at each start. If a later daemon has started the app again, both run the same command. */
function isApp(pid: number, pidFile = ""): boolean {
  const named = Number(readIfReadable(pidFile));
  return named === pid || (named > 0 && readCommand(named) === readCommand(pid));
}

function readCommand(pid: number): string {
  return readIfReadable(`/proc/${pid}/cmdline`);
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
  return processUser(pid);
}

function processUser(pid: number | string): string {
  return userName(statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? "unknown");
}

function readVariables(pid: number | string): string[] {
  return readIfReadable(`/proc/${pid}/environ`).split("\0");
}

function readStat(pid: number | string): ReturnType<typeof parsePidStat> {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`));
}

/** Of systemd's hierarchy. In the root of the unified one, an older systemd keeps its own. @see cgroups(7) */
export function groupOf(pid: string): string | null {
  const text = readIfReadable(`/proc/${pid}/cgroup`);
  const [unified, named] = [/^0::(.*)$/m, /^\d+:name=systemd:(.*)$/m].map((form) => form.exec(text)?.[1]);
  return (unified === "/" ? named : unified) ?? named ?? unified ?? null;
}
