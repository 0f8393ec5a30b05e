/** The processes that have a file open for writing, as `/proc` shows them. Linux only. */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { hasErrorCode, listIfReadable, readIfReadable } from "../../files/system.ts";
import { groupBy } from "../../words/lists.ts";
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
