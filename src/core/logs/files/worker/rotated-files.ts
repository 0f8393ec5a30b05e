import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { parseLine } from "../../line.ts";
import { compareRotated, rotatedNames, cutNumber, ownRotated } from "../../rotated.ts";
import { listIfReadable } from "../../../files/system.ts";
import { type LogLocation, readHead, LogFile, UnreadableLogError, NEWLINE } from "./log-file.ts";
import type { LogPosition } from "../../log-line.ts";

interface RotatedFile {
  readonly file: string;
  readonly modifiedMs: number;
  readonly firstMs?: number | undefined;
}

/** Files that were restored or copied together. */
const SAME_TIME_MS = 2000;

/** Newest first. */
export function listRotatedFiles(location: LogLocation, sinceMs = 0): string[] {
  const folder = dirname(location.path);
  const names = rotatedNames(basename(location.path), listIfReadable(folder));
  const all = new Set(names);
  const files = names
    .filter((name) => !(name.endsWith(".gz") && all.has(name.slice(0, -3))))
    .flatMap((name): RotatedFile[] => {
      const file = join(folder, name);
      const modifiedMs = readModifiedMs(file);
      return modifiedMs === undefined || modifiedMs < sinceMs ? [] : [{ file, modifiedMs }];
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
  const isDoubtful = files.some(({ modifiedMs }, index) => {
    const previous = files[index - 1];
    return previous !== undefined && previous.modifiedMs - modifiedMs < SAME_TIME_MS;
  });
  const ordered = (isDoubtful ? byContent(location, files) : files).map(({ file }) => file);
  return [...freshCut(location), ...inOrderOfCuts(location, ordered)];
}

/** The names of svcm have the exact order. */
function inOrderOfCuts(location: LogLocation, files: readonly string[]): string[] {
  const cuts = new Set(listCuts(location).done.map(({ path }) => path));
  const newestFirst = [...cuts].filter((path) => files.includes(path)).toReversed();
  return files.map((file) => (cuts.has(file) ? (newestFirst.shift() ?? file) : file));
}

/** A copy whose head is cut off the log, but which has not got its name. */
function freshCut(location: LogLocation): string[] {
  const { copying } = listCuts(location);
  const log = copying && openIfReadable(location);
  if (copying === undefined || log === undefined) return [];
  try {
    return isCopyBehindCut(location, copying, log) ? [copying.path] : [];
  } finally {
    log.close();
  }
}

/** After a restore from a backup, the times of the files say nothing, so those of their first lines decide. */
function byContent(location: LogLocation, files: readonly RotatedFile[]): RotatedFile[] {
  return files
    .map((one) => ({ ...one, firstMs: readFirstMs({ ...location, path: one.file }) }))
    .toSorted(
      (a, b) =>
        (b.firstMs ?? b.modifiedMs) - (a.firstMs ?? a.modifiedMs) || compareRotated(basename(a.file), basename(b.file)),
    );
}

function readFirstMs(location: LogLocation): number | undefined {
  const head = readHead(location);
  if (head === undefined) return undefined;
  const text = location.path.endsWith(".gz") ? unzipHead(head) : head;
  for (const line of text?.toString().split("\n") ?? []) {
    const { atMs } = parseLine(line);
    if (atMs !== null) return atMs;
  }
  return undefined;
}

function unzipHead(head: Buffer): Buffer | undefined {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

function readModifiedMs(file: string): number | undefined {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Follows the lines of a log whose head svcm cut off: it keeps its inode, and its lines move to the front. */

export interface Cut {
  /** In the order of time. */
  readonly id: string;
  readonly path: string;
}

export interface Cuts {
  /** Oldest first. */
  readonly done: readonly Cut[];
  /** A copy without its final name: the log will be cut in a moment, or was just cut. */
  readonly copying: Cut | undefined;
}

export function listCuts({ path }: Pick<LogLocation, "path">): Cuts {
  const folder = dirname(path);
  const all = ownRotated(basename(path), listIfReadable(folder));
  const toCut = ({ id, file }: (typeof all)[number]): Cut => ({ id, path: join(folder, file) });
  const copying = all.find(({ isCopying }) => isCopying);
  return { done: all.filter(({ isCopying }) => !isCopying).map(toCut), copying: copying && toCut(copying) };
}

export interface LogAtMoment {
  readonly file: LogFile;
  /** Of the last cut; empty if there is none. */
  readonly cutId: string;
}

const MAX_TRIES = 20;

/** The log, and how often it was cut at that moment. */
export function openAtMoment(location: LogLocation): LogAtMoment {
  for (let tries = 1; ; tries += 1) {
    const before = lastId(listCuts(location));
    const file = new LogFile(location);
    const { copying, done } = listCuts(location);
    const isCut = copying !== undefined && isCopyBehindCut(location, copying, file);
    const isSame = lastId({ done }) === before && file.currentSize() >= file.size;
    if (isSame || tries >= MAX_TRIES) return { file, cutId: isCut ? copying.id : before };
    file.close();
  }
}

export function isCopyBehindCut(location: LogLocation, { path }: Cut, log: LogFile): boolean {
  const copy = openIfReadable({ ...location, path });
  if (copy === undefined) return false;
  try {
    return isBehindCut(copy, log);
  } finally {
    copy.close();
  }
}

function lastId({ done }: Pick<Cuts, "done">): string {
  return done.at(-1)?.id ?? "";
}

const UNIT = 4096;
const MAX_REST_BYTES = 4 * 2 ** 20;

/**
 * The bytes that were cut off. The copy goes on to the end of the line that the cut divides. The log then begins with as
 * many line breaks, or, if the rotation was killed, with the rest of that line. `undefined` if the log was emptied.
 */
export function cutBetween(copy: LogFile, next: LogFile): number | undefined {
  if (next.currentSize() === 0) return undefined;
  const cut = Math.ceil((copy.size - countNewlines(next, copy.size)) / UNIT) * UNIT;
  if (cut <= copy.size) return cut;
  const [head, rest] = [Buffer.alloc(MAX_REST_BYTES), Buffer.alloc(MAX_REST_BYTES)];
  for (let at = Math.floor(copy.size / UNIT) * UNIT; at > 0 && copy.size - at <= MAX_REST_BYTES; at -= UNIT) {
    const length = copy.size - at;
    if (next.read(head.subarray(0, length), 0) !== length) return undefined;
    copy.read(rest.subarray(0, length), at);
    if (head.compare(rest, 0, length, 0, length) === 0) return at;
  }
  return undefined;
}

function countNewlines(file: LogFile, limit: number): number {
  const bytes = Buffer.alloc(Math.min(limit, MAX_REST_BYTES));
  const read = bytes.subarray(0, file.read(bytes, 0));
  const other = read.findIndex((byte) => byte !== NEWLINE);
  return other === -1 ? read.length : other;
}

/** False while the copy is still made: the log then has all of its lines. */
function isBehindCut(copy: LogFile, log: LogFile): boolean {
  const length = Math.min(UNIT, copy.size);
  const [own, copied] = [Buffer.alloc(length), Buffer.alloc(length)];
  return log.read(own, 0) < length || copy.read(copied, 0) < length || !own.equals(copied);
}

export function openIfReadable(location: LogLocation): LogFile | undefined {
  try {
    return new LogFile(location);
  } catch (error) {
    if (error instanceof UnreadableLogError) return undefined;
    throw error;
  }
}

/** The name of a copy changes twice, when it is whole and when it is compressed, so the one of a list may be gone. */
const NAMES_OF_A_CUT = 3;

export function openCut(location: LogLocation, id: string): LogFile | undefined {
  for (let tries = 0; tries < NAMES_OF_A_CUT; tries += 1) {
    const { done, copying } = listCuts(location);
    const cut = [...done, ...(copying ? [copying] : [])].find((one) => one.id === id);
    const file = cut && openIfReadable({ ...location, path: cut.path });
    if (cut === undefined || file !== undefined) return file;
  }
  return undefined;
}

/** Moves a place of the log behind the cuts that it does not know. `undefined` if it is not known any more. */
export function placeAfterCuts(location: LogLocation, log: LogFile, place: LogPosition): LogPosition | undefined {
  const { done } = listCuts(location);
  const known = place.cuts === undefined ? -1 : done.findIndex(({ id }) => cutNumber(id) === place.cuts);
  if (place.cuts !== undefined && known === -1) return undefined;
  const unknown = done.slice(known + 1).map(({ id }) => id);
  let moved: LogPosition | undefined = place;
  for (const [at, id] of unknown.entries()) {
    moved = placeAfterCut(location, [id, unknown[at + 1]], log, moved);
    if (moved?.inode !== place.inode) return moved;
  }
  return { ...moved, cuts: cutNumber(lastId({ done })) };
}

function placeAfterCut(
  location: LogLocation,
  [id, nextId]: readonly [string, string | undefined],
  log: LogFile,
  place: LogPosition,
): LogPosition | undefined {
  const copy = openCut(location, id);
  const next = nextId === undefined ? log : openCut(location, nextId);
  try {
    if (copy === undefined) return undefined;
    if (place.offset <= copy.size) return { log: place.log, inode: copy.inode, offset: place.offset };
    const cut = next && cutBetween(copy, next);
    return cut === undefined ? undefined : { ...place, offset: place.offset - cut };
  } finally {
    copy?.close();
    if (next !== log) next?.close();
  }
}
