/** When and where a process was started, by the kernel. Other systems than Linux know neither. */
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { parsePidStat, TICKS_PER_SECOND } from "../../files/proc.ts";
import { readIfReadable } from "../../files/system.ts";
import type { CodeProcess } from "../port-running-code.ts";
import { mayBeCode, mayHoldCode, weigh } from "../code-files.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";
import { dirname, resolve } from "node:path";

/** Both clocks agree within milliseconds, unless one was set. */
const MAX_CLOCK_GAP_MS = 2000;
/** The time of a file may be up to 6 ms older than the clock. */
const CLOCK_GRAIN_MS = 20;
const DELETED = " (deleted)";

export interface ProcessStart {
  /** A file with a later change may be one that the process was not started with. */
  readonly sinceMs: number;
  readonly isClockSet: boolean;
  /** `undefined` if the process cannot be distinguished from a later one with the same pid. */
  readonly identity: { readonly bootId: string; readonly startTicks: string } | undefined;
}

export class StartClock {
  readonly #bootId = readIfReadable("/proc/sys/kernel/random/boot_id").trim();
  readonly #bootMs = Date.now() - Number(readIfReadable("/proc/uptime").split(" ")[0]) * 1000;

  readStart(pid: number, startedAt: number): ProcessStart {
    const startTicks = readStartTicks(pid);
    if (startTicks === undefined || this.#bootId === "")
      return { sinceMs: startedAt - CLOCK_GRAIN_MS, isClockSet: false, identity: undefined };
    const byKernel = this.#toMs(startTicks);
    return {
      sinceMs: Math.min(startedAt, byKernel) - CLOCK_GRAIN_MS,
      isClockSet: Math.abs(byKernel - startedAt) > MAX_CLOCK_GAP_MS,
      identity: { bootId: this.#bootId, startTicks },
    };
  }

  /** A watcher, such as nodemon, starts the app again after each change, and PM2 does not know of that start. */
  runningCode(process: CodeProcess): CodeProcess {
    const pid = findWatched(process.pid);
    const startTicks = pid === undefined ? undefined : readStartTicks(pid);
    if (pid === undefined || startTicks === undefined) return process;
    return { ...process, pid, startedAt: this.#toMs(startTicks), versioning: null };
  }

  #toMs(startTicks: string): number {
    return this.#bootMs + (Number(startTicks) / TICKS_PER_SECOND) * 1000;
  }
}

function readStartTicks(pid: number): string | undefined {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.startTime;
}

const WRAPPER = /^(?:npm|pnpm|yarn|(?:ba|da|z|k)?sh)\b/;
const WATCHER = /(?:^|\/)(?:nodemon|node-dev|ts-node-dev|tsnd)(?:\.[cm]?js)?$/;
/** They watch only with an option. */
const PYTHON_SERVER = /(?:^|\/)(?:uvicorn|hypercorn|flask)$/;
const TSX = /(?:^|\/)tsx(?:\/dist\/cli)?(?:\.[cm]?js)?$/;
const WATCH_OPTION = /^--watch(?:-path=.*|-preserve-output)?$/;
/** Of Node.js; the next word is its value. */
const WITH_VALUE =
  /^(?:-r|-C|--(?:require|import|loader|experimental-loader|conditions|env-file(?:-if-exists)?|watch-path))$/;

/** Working folders of a wrapper, such as a shell or npm, and of what it has started, down to the app. Real paths. */
export function readFoldersBelow(pid: number, isWrapper = true): string[] {
  const { cwd, isDeleted } = readFolderOf(pid);
  const own = cwd === null || isDeleted ? [] : [cwd];
  if (!isWrapper) return own;
  return [...own, ...readChildren(pid).flatMap((child) => readFoldersBelow(child, isShellOrManager(child)))];
}

function readChildren(pid: number): number[] {
  return readIfReadable(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** The app below a watcher, which a wrapper may have started. */
function findWatched(pid: number): number | undefined {
  if (isWatcher(readIfReadable(`/proc/${pid}/cmdline`).split("\0"))) return readChildren(pid).at(-1);
  if (!isShellOrManager(pid)) return undefined;
  return readChildren(pid)
    .map((child) => findWatched(child))
    .find((found) => found !== undefined);
}

/** The words after the program are those of the app, which may have an option of the same name. */
function isWatcher([, ...words]: readonly string[]): boolean {
  const at = words.findIndex((word, index) => !word.startsWith("-") && !WITH_VALUE.test(words[index - 1] ?? ""));
  const program = words[at] ?? "";
  if (words.slice(0, Math.max(at, 0)).some((word) => WATCH_OPTION.test(word))) return true;
  if (PYTHON_SERVER.test(program)) return words.includes("--reload") || words.includes("--debug");
  return WATCHER.test(program) || (TSX.test(program) && words[at + 1] === "watch");
}

function isShellOrManager(pid: number): boolean {
  return WRAPPER.test(readIfReadable(`/proc/${pid}/comm`));
}

/** `null` if this user may not know it. */
export function readFolderOf(pid: number): { readonly cwd: string | null; readonly isDeleted: boolean } {
  try {
    const target = readlinkSync(`/proc/${pid}/cwd`);
    return target.endsWith(DELETED)
      ? { cwd: target.slice(0, -DELETED.length), isDeleted: true }
      : { cwd: target, isDeleted: false };
  } catch {
    return { cwd: null, isDeleted: false };
  }
}

interface Surroundings {
  readonly unit: Pick<Unit, "walk" | "rules">;
  readonly hasGit: boolean;
  /** The content of an earlier look, before the start, if all of it is still in place. */
  readonly seen: ReadonlyMap<string, string> | undefined;
}

/** All files if the clock was set. */
export function newerEntries(
  { isClockSet, sinceMs }: ProcessStart,
  { unit, hasGit, seen }: Surroundings,
): WalkedEntry[] {
  const untilMs = sinceMs + FIRST_FILES_MS;
  return unit.walk.entries.filter((entry) => {
    const { kind, path, changedMs } = entry;
    // Most are older, so their names are not looked at.
    if (kind !== "folder")
      return (isClockSet || changedMs > sinceMs) && seen?.has(path) !== true && mayBeCode(path, unit.rules);
    // Nothing that was seen is gone, so the other names are those of temporary files.
    if (seen !== undefined || changedMs <= sinceMs || !mayHoldCode(path, hasGit, unit.rules)) return false;
    return changedMs > untilMs || !isExplained(entry, unit, sinceMs);
  });
}

/**
 * PM2 creates the log folders of an app with the start, and the app its logs and data. A later one may hide that code
 * was removed before.
 */
export const FIRST_FILES_MS = 2000;
const SAME_MOMENT_MS = 20;

/** The last new name in the folder does not belong to code. */
function isExplained(
  { path: folder, changedMs }: WalkedEntry,
  { walk, rules }: Surroundings["unit"],
  sinceMs: number,
): boolean {
  const prefix = folder === "" ? "" : `${folder}/`;
  const isOfMoment = (atMs: number): boolean => Math.abs(atMs - changedMs) <= SAME_MOMENT_MS;
  return walk.entries.some(
    ({ path, kind, bornMs, changedMs: lastMs }) =>
      path !== folder &&
      path.startsWith(prefix) &&
      !path.slice(prefix.length).includes("/") &&
      bornMs > sinceMs &&
      // A file that is renamed when it is complete has that time.
      (isOfMoment(bornMs) || (kind === "file" && isOfMoment(lastMs))) &&
      (kind === "folder"
        ? !mayHoldCode(path, false, rules)
        : !mayBeCode(path, rules) || weigh(path, "no-git", "new", rules) === "none"),
  );
}

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/** Links on the way to a path that, or one to which they lead, were written after a time, from the top. */
export function movedLinks(path: string, sinceMs: number, above = "/", left = MAX_LINKS): string[] {
  const links: string[] = [];
  for (let at = path; at !== above && at !== dirname(at); at = dirname(at))
    if (isMovedLink(at, sinceMs, left)) links.unshift(at);
  return links;
}

function isMovedLink(path: string, sinceMs: number, left: number): boolean {
  try {
    const stats = lstatSync(path);
    if (!stats.isSymbolicLink() || stats.ctimeMs > sinceMs) return stats.isSymbolicLink();
    const target = resolve(realpathSync(dirname(path)), readlinkSync(path));
    return left > 0 && movedLinks(target, sinceMs, "/", left - 1).length > 0;
  } catch {
    return false;
  }
}

export function isNewer(path: string, sinceMs: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) > sinceMs;
}

/** A name in a folder outside of the unit is gone, or another one. */
export function mayLackSettings({ settingsFolders }: Pick<Unit, "settingsFolders">, sinceMs: number): boolean {
  return settingsFolders.some((folder) => isNewer(folder, sinceMs));
}

/** Another folder got this name: a rename changes both. */
export function wasExchanged(folder: string, sinceMs: number): boolean {
  const isNew = (path: string): boolean => isNewer(path, sinceMs);
  return isNew(folder) && isNew(dirname(folder));
}

export function wasWritten(path: string | null, sinceMs: number): boolean {
  if (path === null) return false;
  const { ctimeMs = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return Math.min(ctimeMs, mtimeMs) > sinceMs;
}
