import { createHash } from "node:crypto";
import { statSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { LogStream } from "../../../api/names.ts";
import { type LineScrubber, createLineScrubber } from "../../line.ts";
import type { LogFilter } from "../../port-logs.ts";
import { callDaemon } from "../../../pm2/daemon/daemon.ts";
import { suspendedFailure } from "../../../pm2/daemon/failure.ts";
import { suspendedDaemon } from "../../../pm2/daemon/proc.ts";
import type { Pm2Process } from "../../../pm2/daemon/worker/pm2-api.ts";
import { environmentSecrets } from "../../../pm2/daemon/worker/process-record.ts";
import { LogFailure, type ReaderData } from "../protocol.ts";
import { createSecretLineFinder, type FindSecretLines } from "./secret-lines.ts";
import type { LogLocation } from "./log-file.ts";
import type { LogProblem } from "../../../api/logs.ts";
import { isRecord } from "../../../words/record.ts";
import { listIfReadable, readIfReadable } from "../../../files/system.ts";

const TIMEOUT_MS = 5000;
/** PM2 may be configured not to write its own log. */
const MAX_AGE_MS = 10_000;

export class ProcessList {
  targets: readonly Target[] = [];
  names: ReadonlySet<string> = new Set();
  scrub: LineScrubber = createLineScrubber([]);
  findSecretLines: FindSecretLines = createSecretLineFinder(this.scrub.known);
  readonly #data: ReaderData;
  readonly #secrets = new Set<string>();
  /** Apps whose output PM2 throws away. */
  discarded: readonly DiscardedLog[] = [];
  pids: readonly number[] = [];
  #stamp = "";
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(data: ReaderData) {
    this.#data = data;
  }

  get home(): string {
    return this.#data.home;
  }

  /** A log may contain secrets that a process had earlier. */
  addSecrets(secrets: readonly string[]): void {
    const before = this.#secrets.size;
    for (const secret of secrets) this.#secrets.add(secret);
    if (this.#secrets.size === before) return;
    this.scrub = createLineScrubber([...this.#secrets]);
    this.findSecretLines = createSecretLineFinder(this.scrub.known);
  }

  /** @throws {LogFailure} PM2_FAILED */
  async refresh(): Promise<void> {
    // PM2 writes to its own log before a process runs.
    const stamp = fileStamp(join(this.#data.home, "pm2.log"));
    if (stamp === this.#stamp && performance.now() - this.#refreshedAtMs < MAX_AGE_MS) return;
    this.#refreshing ??= this.#refresh(stamp).finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #refresh(stamp: string): Promise<void> {
    const list = await callDaemon(join(this.#data.home, "rpc.sock"), "getMonitorData", TIMEOUT_MS);
    if (!Array.isArray(list)) {
      const pid = suspendedDaemon(this.#data.home);
      const details = pid === undefined ? "PM2 did not return its list of processes." : suspendedFailure(pid).message;
      throw new LogFailure("PM2_FAILED", "PM2_TIMEOUT", details);
    }
    const processes = (list as Pm2Process[]).filter(({ pm2_env: env }) => !env["pmx_module"]);
    const { home, folders } = this.#data;
    this.#stamp = stamp;
    this.#refreshedAtMs = performance.now();
    this.names = new Set(processes.map(({ name }) => String(name)));
    this.targets = listTargets(processes, home, folders, statSync(home).uid);
    this.discarded = processes.flatMap(listDiscarded);
    this.pids = [...daemonPid(home), ...processes.flatMap(({ pid }) => (pid === undefined || pid < 2 ? [] : [pid]))];
    this.addSecrets(environmentSecrets(processes));
  }

  savedNames(): string[] {
    return [...new Set(readSavedProcesses(this.#data.home).map(({ name }) => String(name)))];
  }

  /** The logs of apps that PM2 does not list. Their secrets are those of PM2's saved list, if it has them. */
  formerTargets(names: readonly string[]): Target[] {
    const unlisted = names.filter((name) => !this.names.has(name));
    if (unlisted.length === 0) return [];
    const { home, folders } = this.#data;
    const owner = statSync(home).uid;
    const saved = readSavedProcesses(home).filter(({ name }) => unlisted.includes(String(name)));
    this.addSecrets(environmentSecrets(saved));
    const own = unlisted.flatMap((app) =>
      listFormerLogs(home, app, owner).map((log) => ({ ...log, app, pmId: null, log: hashPath(log.path) })),
    );
    const elsewhere = listTargets(saved, home, folders, owner).map((target) => ({ ...target, pmId: null }));
    const listed = new Set(this.targets.map(({ path }) => path));
    const byPath = new Map([...own, ...elsewhere].map((target) => [target.path, target]));
    return [...byPath.values()].filter(
      ({ path }) => !listed.has(path) && statSync(path, { throwIfNoEntry: false }) !== undefined,
    );
  }
}

function fileStamp(path: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(path);
    return `${size}.${mtimeMs}.${ino}`;
  } catch {
    return "";
  }
}

export interface Target extends LogLocation {
  readonly log: string;
  readonly app: string;
  readonly pmId: number | null;
  readonly stream: LogStream;
}

type TargetFilter = Pick<LogFilter, "app" | "apps" | "stream">;

const STREAMS = [
  ["out", "pm_out_log_path"],
  ["err", "pm_err_log_path"],
] as const;
const DISCARDED = new Set(["/dev/null", "NULL", "null"]);

export function listTargets(
  processes: readonly Pm2Process[],
  home: string,
  more: readonly string[],
  owner: number,
): Target[] {
  const targets = new Map<string, Target>();
  for (const { name, pm_id: pmId, pm2_env: env } of processes) {
    const { pm_cwd: cwd } = env;
    for (const [stream, field] of STREAMS) {
      const path = env[field];
      if (typeof path !== "string" || !path.startsWith("/") || DISCARDED.has(path)) continue;
      const other = targets.get(path);
      const folders = [...(other?.folders ?? [home, ...more]), ...(typeof cwd === "string" ? [cwd] : [])];
      const identity = other
        ? { ...other, pmId: other.pmId === pmId ? pmId : null }
        : { app: String(name), pmId, stream };
      targets.set(path, { ...identity, path, folders, owner, log: hashPath(path) });
    }
  }
  return [...targets.values()];
}

export interface DiscardedLog {
  readonly app: string;
  readonly isDisabled: boolean;
  readonly stream: LogStream;
}

function listDiscarded({ name, pm2_env: env }: Pm2Process): DiscardedLog[] {
  const isDisabled = env["disable_logs"] === true;
  return STREAMS.flatMap(([stream, field]) => {
    const path = env[field];
    const isDiscarded = isDisabled || (typeof path === "string" && DISCARDED.has(path));
    return isDiscarded ? [{ app: String(name), stream, isDisabled }] : [];
  });
}

function hashPath(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 10);
}

export function selectTargets(
  targets: readonly Target[],
  names: ReadonlySet<string>,
  { app, apps = [], stream }: TargetFilter,
): Target[] {
  const requested = app === undefined ? apps : [...apps, app];
  const unknown = requested.find((name) => !names.has(name));
  if (unknown !== undefined) throw notFoundError(unknown);
  return targets.filter((target) => isSelected(target, { apps: requested, stream }));
}

export function isSelected(target: Target, { app, apps = [], stream }: TargetFilter): boolean {
  if (stream !== undefined && target.stream !== stream) return false;
  return (app === undefined && apps.length === 0) || target.app === app || apps.includes(target.app);
}

function notFoundError(name: string): LogFailure {
  const details = `PM2 does not know a process ${JSON.stringify(name.slice(0, 80))}.`;
  return new LogFailure("PROCESS_NOT_FOUND", "PROCESS_NOT_FOUND", details);
}

/** Logs of apps that PM2 no longer lists, and log files that are gone while a process still writes to them. */

export interface FormerLog extends LogLocation {
  readonly stream: LogStream;
}

const NAMES = /^(.*)-(out|error)(?:-\d+)?\.log$/;

/** Of a file that PM2 named after an app. */
export function formerLog(file: string): { readonly app: string; readonly stream: LogStream } | undefined {
  const [, app, stream] = NAMES.exec(file) ?? [];
  return app === undefined ? undefined : { app, stream: stream === "out" ? "out" : "err" };
}

/** The files that PM2 names after an app, in its own folder. */
function listFormerLogs(home: string, app: string, owner: number): FormerLog[] {
  const folder = join(home, "logs");
  const stem = app.replaceAll(/[^a-zA-Z0-9\\.-]/g, "-");
  return listIfReadable(folder).flatMap((file) => {
    const { app: named, stream } = formerLog(file) ?? {};
    if (named !== stem || stream === undefined) return [];
    return [{ path: join(folder, file), stream, folders: [home], owner }];
  });
}

const MAX_DUMP_BYTES = 16 * 2 ** 20;

/** Apps in PM2's saved list: their logs may be elsewhere, and their variables may be secret. */
export function readSavedProcesses(home: string): Pm2Process[] {
  try {
    const path = join(home, "dump.pm2");
    const { size } = lstatSync(path);
    const saved: unknown = size > MAX_DUMP_BYTES ? [] : JSON.parse(readIfReadable(path));
    const records = Array.isArray(saved) ? saved.filter(isRecord) : [];
    return records.map((record) => ({ pm_id: -1, name: record["name"], pm2_env: record }));
  } catch {
    return [];
  }
}

/** `undefined` if the file is there, or if no process is seen that writes to it. Linux only. */
export function findDeletedLog(
  { app, stream, path }: { readonly app: string; readonly stream: LogStream; readonly path: string },
  pids: readonly number[],
): LogProblem | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return undefined;
  const writer = pids.find((pid) => hasOpen(pid, `${path} (deleted)`));
  if (writer === undefined) return undefined;
  const details = `${path} is deleted, and still written by the process with pid ${writer}: its new lines are in no folder, and the disk space stays in use. To write a new file: pm2 reloadLogs`;
  return { app, stream, code: "LOG_FILE_DELETED", details };
}

export function daemonPid(home: string): number[] {
  const pid = Number(readIfReadable(join(home, "pm2.pid")));
  return pid > 1 ? [pid] : [];
}

function hasOpen(pid: number, target: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return listIfReadable(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)) === target;
    } catch {
      return false;
    }
  });
}
