/** Follows the lines of a log whose head svcm cut off: it keeps its inode, and its lines move to the front. */
import { basename, dirname, join } from "node:path";
import { listIfReadable } from "../../../files/system.ts";
import type { LogPosition } from "../../cursor.ts";
import { cutNumber, ownRotated } from "../../rotated.ts";
import { LogFile, type LogLocation, UnreadableLogError } from "./log-file.ts";
import { NEWLINE } from "./regions.ts";

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
