/** Who has a file open for writing, as `/proc` shows it. Linux only. */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { hasErrorCode, listIfReadable, readIfReadable } from "../../files/system.ts";
import type { DeletedLog, LogWriter } from "./port-log-care.ts";

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

/**
 * @param paths real paths of the logs
 * @param pm2Pids whose files are compared by inode, because they may see other paths
 */
export function readOpenFiles(paths: ReadonlySet<string>, pm2Pids: ReadonlySet<number>): OpenFiles {
  const writers = new Map<string, LogWriter[]>();
  const deleted: DeletedLog[] = [];
  let isHidden = process.platform !== "linux";
  for (const name of listIfReadable("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const isOfPm2 = pm2Pids.has(pid);
    const fds = listDescriptors(pid);
    if (fds === undefined) isHidden ||= isOfPm2;
    for (const fd of fds ?? []) {
      const path = linkOf(`/proc/${pid}/fd/${fd}`);
      if (path === undefined || !path.startsWith("/") || !(paths.has(path) || isOfPm2)) continue;
      const stat = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      const flags = Number.parseInt(/^flags:\t(\d+)$/m.exec(readIfReadable(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? "", 8);
      if (stat?.isFile() !== true || Number.isNaN(flags) || (flags & O_ACCMODE) === 0) continue;
      const isAppending = (flags & O_APPEND) !== 0;
      const list = writers.get(fileKey(stat)) ?? [];
      const known = list.find((writer) => writer.pid === pid && writer.isAppending === isAppending);
      if (known === undefined) list.push({ pid, program: programOf(pid), isAppending });
      writers.set(fileKey(stat), list);
      if (isOfPm2 && isAppending && path.endsWith(DELETED) && known === undefined)
        deleted.push({ path: path.slice(0, -DELETED.length), pid, bytes: stat.size });
    }
  }
  return { writers, deleted, isHidden };
}

/** `undefined` if they are hidden from this user. */
function listDescriptors(pid: number): string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    return hasErrorCode(error, "EACCES", "EPERM") ? undefined : [];
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
