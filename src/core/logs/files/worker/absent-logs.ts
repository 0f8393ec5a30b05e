/** Logs of apps that PM2 no longer lists, and log files that are gone while a process still writes to them. */
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { LogProblem } from "../../../api/logs.ts";
import type { LogStream } from "../../../api/names.ts";
import { isRecord } from "../../../words/record.ts";
import { listIfReadable, readIfReadable } from "../../../files/system.ts";
import type { Pm2Process } from "../../../pm2/daemon/worker/pm2-api.ts";
import type { LogLocation } from "./log-file.ts";

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
export function listFormerLogs(home: string, app: string, owner: number): FormerLog[] {
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
    const saved: unknown = size > MAX_DUMP_BYTES ? [] : JSON.parse(readFileSync(path, "utf8"));
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
