/** The steps of a rotation up to the cut. A process may be killed between any two: `finishRotation` is then called first. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { CutWay } from "../../api/names.ts";
import {
  fileError,
  close,
  discard,
  fsync,
  listIfReadable,
  NO_FOLLOW,
  O_CREAT,
  O_EXCL,
  O_RDWR,
  open,
  read,
  withFile,
  writeAll,
} from "../../files/system.ts";
import { readRoom } from "../../files/host.ts";
import { syncFolder } from "../../files/write.ts";
import { COPYING, nextOwnName } from "../rotated.ts";
import { runFallocate, finishCut, cutPlace, type Journal, NEWLINE, type RotationRecord } from "./finish.node.ts";

const CHUNK_BYTES = 2 ** 20;
const MIN_UNIT = 4096;
/** Below this, other programs of the machine need the space more. */
const SPARE_BYTES = 4 * 2 ** 20;

export interface CutOptions {
  readonly way: CutWay;
  /** At most this many bytes are cut off at once. */
  readonly pieceBytes: number;
  /** The newest bytes stay where they are, because `svcm why` reads them. */
  readonly tailBytes: number;
  readonly compress: boolean;
  readonly nowMs: number;
  /** Called after each step. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/** `undefined` if the log has no whole line to cut off. @throws {FileError} ENOSPC, ECHANGED and the system's codes */
export async function cutHead(
  path: string,
  journal: Journal,
  options: CutOptions,
): Promise<RotationRecord | undefined> {
  const fd = await open(path, O_RDWR | NO_FOLLOW);
  try {
    const record = planCut(fd, path, options);
    if (record === undefined) return undefined;
    await journal.save(record);
    options.onStep?.("planned");
    let grown: number | undefined;
    try {
      await copyHead(fd, record, options);
      await journal.save({ ...record, phase: "cut" });
      options.onStep?.("saved");
      if (record.way === "collapse") await collapse(fd, record);
      else grown = truncate(fd, record);
    } catch (error) {
      await discard(record.target + COPYING);
      await journal.clear();
      throw error;
    }
    if (grown !== undefined) await syncAndClose(grown);
    options.onStep?.("cut");
    await finishCut(fd, record, journal, options.onStep);
    return record;
  } finally {
    await close(fd);
  }
}

async function syncAndClose(fd: number): Promise<void> {
  try {
    await fsync(fd);
  } finally {
    await close(fd);
  }
}

function planCut(fd: number, path: string, { way, pieceBytes, tailBytes, compress, nowMs }: CutOptions) {
  const { dev, ino, size } = fstatSync(fd);
  const unit = cutUnit(path);
  const lineEnd = endOfLine(fd, Math.min(pieceBytes, size - tailBytes), "before");
  const cut = way === "truncate" ? size : cutPlace(lineEnd, size, unit);
  if (cut <= 0) return undefined;
  const end = way === "truncate" ? size : endOfLine(fd, cut, "after");
  if (readRoom(dirname(path)).bytes < end + SPARE_BYTES) throw fileError("ENOSPC", "rotate", path);
  const target = join(dirname(path), nextOwnName(basename(path), listIfReadable(dirname(path)), nowMs));
  return { version: 1, path, dev, ino, way, size, cut, end, target, compress, phase: "copy" } satisfies RotationRecord;
}

function cutUnit(path: string): number {
  return Math.max(MIN_UNIT, statfsSync(path).bsize);
}

/** Needs no space, so it also works on a full disk. Returns the bytes that went. */
export async function dropHead(path: string, tailBytes: number): Promise<number> {
  const fd = await open(path, O_RDWR | NO_FOLLOW);
  try {
    const { size } = fstatSync(fd);
    const cut = cutPlace(endOfLine(fd, size - tailBytes, "before"), size, cutUnit(path));
    if (cut <= 0) return 0;
    const rest = endOfLine(fd, cut, "after") - cut;
    await collapse(fd, { path, cut });
    writeSync(fd, Buffer.alloc(rest, NEWLINE), 0, rest, 0);
    return cut;
  } finally {
    await close(fd);
  }
}

/** The end of the last line before a place, or of the line at it; 0 before the first line break. */
function endOfLine(fd: number, place: number, side: "before" | "after"): number {
  const chunk = Buffer.alloc(64 * 1024);
  if (side === "before") {
    for (let end = place; end > 0; end -= chunk.length) {
      const start = Math.max(0, end - chunk.length);
      const found = chunk.subarray(0, readSync(fd, chunk, 0, end - start, start)).lastIndexOf(NEWLINE);
      if (found !== -1) return start + found + 1;
    }
    return 0;
  }
  for (let at = place - 1; ; at += chunk.length) {
    const bytes = chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, at));
    const found = bytes.indexOf(NEWLINE);
    if (found !== -1) return at + found + 1;
    if (bytes.length === 0) return at;
  }
}

async function copyHead(fd: number, record: RotationRecord, { onStep }: CutOptions): Promise<void> {
  const { target, end, size } = record;
  const { mode, uid, gid } = fstatSync(fd);
  const fill = async (copy: number): Promise<void> => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at < end;) {
      const count = await read(fd, chunk.subarray(0, Math.min(CHUNK_BYTES, end - at)), at);
      if (count === 0) throw fileError("ECHANGED", "rotate", record.path, "another program emptied it");
      await writeAll(copy, chunk.subarray(0, count));
      at += count;
    }
    if (process.getuid?.() === 0) fchownSync(copy, uid, gid);
    fchmodSync(copy, mode & 0o666);
    await fsync(copy);
  };
  await withFile(target + COPYING, O_RDWR | O_CREAT | O_EXCL | NO_FOLLOW, fill);
  await syncFolder(dirname(target));
  onStep?.("copied");
  if (fstatSync(fd).size < size) throw fileError("ECHANGED", "rotate", record.path, "another program emptied it");
}

/** Node.js has no call for it. The child gets the open file, so it cuts no other file of the same name. */
async function collapse(fd: number, { path, cut: bytes }: Pick<RotationRecord, "path" | "cut">): Promise<void> {
  const { size, atime, mtime } = fstatSync(fd);
  const problem = await runFallocate(fd, bytes);
  const after = fstatSync(fd).size;
  if (problem !== undefined && after >= size) throw fileError("LOG_CUT_FAILED", "cut the head off", path, problem);
  // `svcm why` takes the time of the last change for that of the last line.
  if (after === size - bytes) futimesSync(fd, atime, mtime);
}

/**
 * Synchronous, because what is written between the last read and the cut is lost. If the disk is full, the log stays.
 * @returns the open copy, whose last bytes nothing else has
 */
function truncate(fd: number, { target, end }: RotationRecord): number {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const copy = openSync(target + COPYING, O_RDWR | NO_FOLLOW);
  try {
    for (let at = end, count; (count = readSync(fd, chunk, 0, CHUNK_BYTES, at)) > 0; at += count)
      for (let done = 0; done < count;) done += writeSync(copy, chunk, done, count - done, at + done);
    ftruncateSync(fd, 0);
    return copy;
  } catch (error) {
    closeSync(copy);
    throw error;
  }
}
