import { existsSync, statSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { foreignCode } from "../../api/issue.ts";
import { DISK_FULL, errorCode } from "../../words/thrown.ts";
import { readRoom } from "../../files/host.ts";
import { listIfReadable, lstatIfReadable, readIfReadable, realPathIfReadable } from "../../files/system.ts";
import { callDaemon } from "../../pm2/daemon/daemon.ts";
import type { Pm2Process } from "../../pm2/daemon/worker/pm2-api.ts";
import { daemonPid, formerLog, readSavedProcesses, listTargets } from "../files/worker/process-list.ts";
import { LogFile, UnreadableLogError } from "../files/worker/log-file.ts";
import { ownRotated, rotatedNames } from "../rotated.ts";
import type { DeletedLog, KeptSizes, LogDisk, LogSurvey, LogWriter, LogrotateRule, SurveyedLog } from "./log-care.ts";
import { earlierSize, logrotatePatterns } from "./log-care.ts";
import { withLogFile, readLinesBackwards } from "../../files/log.ts";
import { lineTime } from "../log-line.ts";
import { groupBy } from "../../words/record.ts";

const TIMEOUT_MS = 5000;
/** In PM2_HOME itself. */
const PM2_LOGS = ["pm2.log", "agent.log"];

export interface LookOptions {
  readonly home: string;
  readonly folders: readonly string[];
  /** `/etc`, except in tests. */
  readonly etc: string;
  readonly isUnfinished: (path: string) => boolean;
  /** The size from which programs other than PM2's are asked whether they write the log. */
  readonly writersFrom: number;
}

const NO_LOGS = {
  logs: [],
  deleted: [],
  disks: new Map<number, LogDisk>(),
  hasPm2Logrotate: false,
  areWritersHidden: false,
  isHomeOfOther: false,
  fullDiskMs: null,
};

type FoundLog = Pick<SurveyedLog, "path" | "app" | "stream"> & { readonly folders: readonly string[] };

export async function lookAtLogs(options: LookOptions, kept: KeptSizes, nowMs: number): Promise<LogSurvey> {
  const { home, etc } = options;
  if (!existsSync(home)) return { ...NO_LOGS, home, atMs: nowMs, logrotate: [] };
  const listed = await callDaemon(join(home, "rpc.sock"), "getMonitorData", TIMEOUT_MS);
  const processes = Array.isArray(listed) ? (listed as Pm2Process[]) : readSavedProcesses(home);
  // One size decides whether the writers are looked for, and whether the log is cut.
  const withStats = findLogs(options, processes).flatMap((log) => {
    const stats = lstatIfReadable(log.path);
    return stats === undefined ? [] : [{ ...log, stats }];
  });
  // PM2 may know a file by another path, if PM2_HOME is a link. The last one has the app.
  const found = [...new Map(withStats.map((log) => [fileKey(log.stats), log])).values()];
  const cut = found.filter(({ path, stats }) => stats.size >= options.writersFrom || options.isUnfinished(path));
  const pids = new Set([...daemonPid(home), ...processes.flatMap(({ pid = 0 }) => (pid > 1 ? [pid] : []))]);
  const open = readOpenFiles(new Set(cut.map(({ path }) => realPathIfReadable(path))), pids);
  const owner = statSync(home).uid;
  const describe = (log: (typeof found)[number]): SurveyedLog => {
    const { dev, ino, size: bytes, mtimeMs: modifiedMs } = log.stats;
    const { folders: _folders, stats: _stats, ...own } = log;
    return {
      ...own,
      dev,
      ino,
      bytes,
      modifiedMs,
      rotated: rotatedFiles(log.path),
      writers: open.writers.get(fileKey({ dev, ino })) ?? [],
      watchedBy: processes.filter((one) => isWatching(one, log.path)).map(({ name }) => String(name)),
      earlier: earlierSize(kept, { path: log.path, ino, bytes }, nowMs),
      problem: problemOf(log, owner),
      isUnfinished: options.isUnfinished(log.path),
    };
  };
  const logs = found.flatMap((log) => unlessGone(() => describe(log)));
  return {
    atMs: nowMs,
    home,
    logs,
    deleted: open.deleted,
    disks: readDisks(logs),
    hasPm2Logrotate: processes.some(isPm2Logrotate),
    logrotate: readLogrotate(etc),
    areWritersHidden: open.isHidden,
    isHomeOfOther: process.getuid?.() === 0 && owner !== 0,
    fullDiskMs: await lastFullDisk(join(home, "pm2.log")),
  };
}

function findLogs({ home, folders }: LookOptions, processes: readonly Pm2Process[]): FoundLog[] {
  const targets = listTargets(processes, home, folders, statSync(home).uid);
  const combined = processes.flatMap(({ name, pm2_env: { pm_log_path: path, pm_cwd: cwd } }): FoundLog[] => {
    if (typeof path !== "string" || !path.startsWith("/") || path === "/dev/null") return [];
    return [
      { path, app: String(name), stream: null, folders: [home, ...folders, ...(typeof cwd === "string" ? [cwd] : [])] },
    ];
  });
  const own = PM2_LOGS.map((name): FoundLog => ({ path: join(home, name), app: null, stream: null, folders: [home] }));
  const others = listIfReadable(join(home, "logs")).flatMap((name): FoundLog[] => {
    const path = join(home, "logs", name);
    const { app, stream } = formerLog(name) ?? {};
    return app === undefined || stream === undefined ? [] : [{ path, app: null, stream, folders: [home] }];
  });
  const all = [...others, ...own, ...combined, ...targets];
  return all.map(({ path, app, stream, folders: allowed }) => ({ path, app, stream, folders: allowed }));
}

function unlessGone<T>(look: () => T): T[] {
  try {
    return [look()];
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function rotatedFiles(path: string): SurveyedLog["rotated"] {
  const folder = dirname(path);
  const name = basename(path);
  const siblings = listIfReadable(folder);
  const own = new Set(ownRotated(name, siblings).map(({ file }) => file));
  return rotatedNames(name, siblings)
    .toSorted()
    .flatMap((file) => {
      const stat = lstatIfReadable(join(folder, file));
      return stat?.isFile() === true ? [{ path: join(folder, file), bytes: stat.size, isOwn: own.has(file) }] : [];
    });
}

/** By default PM2 ignores hidden folders, and so `~/.pm2`. */
const DEFAULT_IGNORED = /[/\\]\.|node_modules/;

/** A pattern such as `*.log` does not cover a rotated file, so only an ignored folder counts. */
function isWatching({ pm2_env: env }: Pm2Process, path: string): boolean {
  const { watch, pm_cwd: cwd, ignore_watch: ignored } = env;
  if (watch === undefined || watch === false || typeof cwd !== "string") return false;
  const folders = textsIn(watch);
  const isBelow = (folder: string): boolean => path.startsWith(`${resolve(cwd, folder)}/`);
  if (!(folders.length === 0 ? isBelow(".") : folders.some(isBelow))) return false;
  const patterns = textsIn(ignored);
  return patterns.length === 0
    ? !DEFAULT_IGNORED.test(path)
    : !patterns.some((one) => isBelow(one.replace(/\/\**$/, "")));
}

function textsIn(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === "string" && one !== "") as string[];
}

function problemOf({ path, folders }: FoundLog, owner: number): SurveyedLog["problem"] {
  try {
    new LogFile({ path, folders, owner }).close();
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableLogError)) throw error;
    return error.code === "ENOENT" ? null : { code: foreignCode(error.code), details: error.message };
  }
}

function isPm2Logrotate({ name, pm2_env: env }: Pm2Process): boolean {
  return name === "pm2-logrotate" && Boolean(env["pmx_module"]) && env["status"] === "online";
}

function readLogrotate(etc: string): LogrotateRule[] {
  const folder = join(etc, "logrotate.d");
  const files = [join(etc, "logrotate.conf"), ...listIfReadable(folder).map((name) => join(folder, name))];
  return files.flatMap((file) => {
    const patterns = logrotatePatterns(readIfReadable(file));
    return patterns.length > 0 ? [{ file, patterns }] : [];
  });
}

function readDisks(logs: readonly SurveyedLog[]): Map<number, LogDisk> {
  const disks = new Map<number, LogDisk>();
  for (const { dev, path } of logs) {
    if (disks.has(dev)) continue;
    const { bytes: availableBytes, totalBytes } = readRoom(path);
    disks.set(dev, { path: mountPoint(path, dev), availableBytes, totalBytes });
  }
  return disks;
}

/** The topmost folder of the same disk. */
function mountPoint(path: string, dev: number): string {
  let folder = dirname(path);
  while (folder !== "/" && statSync(dirname(folder)).dev === dev) folder = dirname(folder);
  return folder;
}

const MAX_BYTES = 4 * 2 ** 20;
/** PM2 then opens every log again. */
const REOPENED = /Reloading logs\.\.\.|New PM2 Daemon started/;

/** After a write failed, PM2 never writes that log again until it opens its logs again. */
export async function lastFullDisk(pm2Log: string): Promise<number | null> {
  const found = await withLogFile(pm2Log, async ({ fd, size, writtenMs }) => {
    let bytesRead = 0;
    for await (const { lines, bytes } of readLinesBackwards(fd, size)) {
      for (const line of lines) {
        if (REOPENED.test(line)) return null;
        if (DISK_FULL.test(line)) return lineTime(line) ?? writtenMs;
      }
      if ((bytesRead += bytes) > MAX_BYTES) return null;
    }
    return null;
  }).catch(() => null);
  return found ?? null;
}

/** The processes that have a file open for writing, as `/proc` shows them. Linux only. */

const O_ACCMODE = 0o3;
const O_APPEND = 0o2000;
const DELETED = " (deleted)";

export interface OpenFiles {
  /** By device and inode. */
  readonly writers: ReadonlyMap<string, readonly LogWriter[]>;
  /** Open for appending by PM2's processes. */
  readonly deleted: readonly DeletedLog[];
  readonly isHidden: boolean;
}

export function fileKey({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

interface OpenFile extends LogWriter {
  readonly path: string;
  readonly key: string;
  readonly bytes: number;
}

/**
 * @param paths real paths of the logs
 * @param pm2Pids whose files are compared by inode, because they may see other paths
 */
export function readOpenFiles(paths: ReadonlySet<string>, pm2Pids: ReadonlySet<number>): OpenFiles {
  const open = (paths.size === 0 ? [...pm2Pids] : allPids()).flatMap((pid): OpenFile[] => {
    const isOfPm2 = pm2Pids.has(pid);
    return (listDescriptors(pid) ?? []).flatMap(
      (fd) => readOpenFile(pid, fd, (path) => paths.has(path) || isOfPm2) ?? [],
    );
  });
  // A process may have the same file open twice, as its output and its errors.
  const unique = [...new Map(open.map((one) => [`${one.key} ${one.pid} ${one.isAppending}`, one])).values()];
  const deleted = unique.filter(
    ({ pid, path, isAppending }) => pm2Pids.has(pid) && isAppending && path.endsWith(DELETED),
  );
  return {
    writers: groupBy(unique, ({ key }) => key),
    deleted: deleted.map(({ path, pid, bytes }) => ({ path: path.slice(0, -DELETED.length), pid, bytes })),
    isHidden: process.platform !== "linux" || [...pm2Pids].some((pid) => listDescriptors(pid) === undefined),
  };
}

function allPids(): number[] {
  const names = listIfReadable("/proc").filter((name) => /^\d+$/.test(name));
  return names.map(Number);
}

/** `undefined` if it is not open for writing, or no regular file. */
function readOpenFile(pid: number, fd: string, isWanted: (path: string) => boolean): OpenFile | undefined {
  const path = linkOf(`/proc/${pid}/fd/${fd}`);
  if (!path?.startsWith("/") || !isWanted(path)) return undefined;
  const stat = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
  const [, octal = ""] = /^flags:\t(\d+)$/m.exec(readIfReadable(`/proc/${pid}/fdinfo/${fd}`)) ?? [];
  const flags = Number.parseInt(octal, 8);
  if (stat?.isFile() !== true || Number.isNaN(flags) || (flags & O_ACCMODE) === 0) return undefined;
  const isAppending = (flags & O_APPEND) !== 0;
  return { path, key: fileKey(stat), bytes: stat.size, pid, program: programOf(pid), isAppending };
}

/** `undefined` if they are hidden from this user. */
function listDescriptors(pid: number): string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    return /^(?:EACCES|EPERM)$/.test(errorCode(error)) ? undefined : [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function programOf(pid: number): string {
  return readIfReadable(`/proc/${pid}/comm`).trim() || "a program";
}
