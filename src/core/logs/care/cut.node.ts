/** The steps of a rotation. A process may be killed between any two of them: `finishRotation` is then called first. */
import { spawn } from "node:child_process";
import {
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  readSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileError } from "../../files/file-error.ts";
import {
  close,
  discard,
  fsync,
  hasErrorCode,
  listIfReadable,
  NO_FOLLOW,
  O_CREAT,
  O_EXCL,
  O_RDWR,
  open,
  openIfExists,
  read,
  rename,
  withFile,
  writeAll,
} from "../../files/system.ts";
import { syncFolder } from "../../files/write.ts";
import { COPYING, nextOwnName } from "../rotated.ts";
import { pack } from "./pack.node.ts";
import { cutPlace, isRestOfLine, type CutWay, type RotationRecord } from "./rotation-record.ts";

const CHUNK_BYTES = 2 ** 20;
const NEWLINE = 0x0a;
const MIN_UNIT = 4096;
/** Below this, other programs of the machine need the space more. */
const SPARE_BYTES = 4 * 2 ** 20;

export interface Journal {
  save(record: RotationRecord): Promise<void>;
  clear(): Promise<void>;
}

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
    try {
      await copyHead(fd, record, options);
      await journal.save({ ...record, phase: "cut" });
      options.onStep?.("saved");
      if (record.way === "collapse") await collapse(fd, record);
    } catch (error) {
      await discard(record.target + COPYING);
      await journal.clear();
      throw error;
    }
    if (record.way === "truncate") await truncate(fd, record);
    options.onStep?.("cut");
    await finishCut(fd, record, journal, options.onStep);
    return record;
  } finally {
    await close(fd);
  }
}

function planCut(fd: number, path: string, { way, pieceBytes, tailBytes, compress, nowMs }: CutOptions) {
  const { dev, ino, size } = fstatSync(fd);
  const unit = Math.max(MIN_UNIT, statfsSync(path).bsize);
  const lineEnd = endOfLine(fd, Math.min(pieceBytes, size - tailBytes), "before");
  const cut = way === "truncate" ? size : cutPlace(lineEnd, size, unit);
  if (cut <= 0) return undefined;
  const end = way === "truncate" ? size : endOfLine(fd, cut, "after");
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < end + SPARE_BYTES) throw fileError("ENOSPC", "rotate", path);
  const target = join(dirname(path), nextOwnName(basename(path), listIfReadable(dirname(path)), nowMs));
  return { version: 1, path, dev, ino, way, size, cut, end, target, compress, phase: "copy" } satisfies RotationRecord;
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
async function collapse(fd: number, { path, cut: bytes }: RotationRecord): Promise<void> {
  const { size, atime, mtime } = fstatSync(fd);
  const problem = await runFallocate(fd, bytes);
  const after = fstatSync(fd).size;
  if (problem !== undefined && after >= size) throw fileError("LOG_CUT_FAILED", "cut the head off", path, problem);
  // `svcm why` takes the time of the last change for that of the last line.
  if (after === size - bytes) futimesSync(fd, atime, mtime);
}

/** Returns what prevented it. */
export function runFallocate(fd: number, bytes: number): Promise<string | undefined> {
  const args = ["--collapse-range", "--offset", "0", "--length", String(bytes), "/proc/self/fd/3"];
  const child = spawn("fallocate", args, {
    stdio: ["ignore", "ignore", "pipe", fd],
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
  });
  let message = "";
  child.stderr?.on("data", (text: Buffer) => (message = (message + text.toString()).slice(0, 300)));
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve(hasErrorCode(error, "ENOENT") ? "the program fallocate of util-linux is not installed" : error.message),
    );
    child.once("close", (code) => resolve(code === 0 ? undefined : (message.split(": ").at(-1)?.trim() ?? "")));
  });
}

/** Synchronous from the last read on, because what is written in between is lost. */
async function truncate(fd: number, { target, end }: RotationRecord): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const copy = await open(target + COPYING, O_RDWR | NO_FOLLOW);
  try {
    for (let at = end; ;) {
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (count === 0) break;
      writeSync(copy, chunk, 0, count, at);
      at += count;
    }
    ftruncateSync(fd, 0);
    await fsync(copy);
  } finally {
    await close(copy);
  }
}

/** From the cut on. Each step may already have been done. */
async function finishCut(
  fd: number | undefined,
  record: RotationRecord,
  journal: Journal,
  onStep?: (step: string) => void,
): Promise<void> {
  const { target, compress } = record;
  if (fd !== undefined && record.way === "collapse") {
    await blankRest(fd, record);
    onStep?.("blanked");
  }
  await rename(target + COPYING, target);
  await syncFolder(dirname(target));
  onStep?.("named");
  await journal.save({ ...record, phase: "pack" });
  if (compress) await pack(target, onStep);
  await journal.clear();
  onStep?.("cleared");
}

/** The copy has that line whole. */
async function blankRest(fd: number, { target, cut, end }: RotationRecord): Promise<void> {
  const head = Buffer.alloc(end - cut);
  const rest = Buffer.alloc(end - cut);
  if (head.length === 0) return;
  await withFile(target + COPYING, O_RDWR | NO_FOLLOW, (copy) => read(copy, rest, cut));
  readSync(fd, head, 0, head.length, 0);
  if (!isRestOfLine(head, rest)) return;
  const { atime, mtime, size } = fstatSync(fd);
  writeSync(fd, Buffer.alloc(head.length, NEWLINE), 0, head.length, 0);
  if (fstatSync(fd).size === size) futimesSync(fd, atime, mtime);
  await fsync(fd);
}

/** Finishes a rotation that was killed after the cut, and undoes one that was killed before it. */
export async function finishRotation(record: RotationRecord, journal: Journal): Promise<void> {
  const { phase, target, compress } = record;
  const copy = target + COPYING;
  if (phase === "pack" || (phase === "cut" && !existsSync(copy))) {
    if (compress) await pack(target);
    return journal.clear();
  }
  const fd = phase === "cut" ? await openSame(record) : undefined;
  try {
    const isCut = phase === "cut" && (await isBehindCut(fd, record));
    if (isCut) return await finishCut(fd, record, journal);
    await discard(copy);
    await journal.clear();
  } finally {
    if (fd !== undefined) await close(fd);
  }
}

/** Another program may have renamed the log. */
async function openSame({ path, dev, ino }: RotationRecord): Promise<number | undefined> {
  const folder = dirname(path);
  const others = listIfReadable(folder).filter((name) => name.startsWith(basename(path)));
  for (const name of new Set([basename(path), ...others])) {
    const fd = await openIfExists(join(folder, name), O_RDWR | NO_FOLLOW).catch(() => undefined);
    if (fd === undefined) continue;
    const stat = fstatSync(fd);
    if (stat.ino === ino && stat.dev === dev) return fd;
    await close(fd);
  }
  return undefined;
}

/** A log only grows, so a smaller one is cut. Without the log, the copy is all that is left of its lines. */
async function isBehindCut(fd: number | undefined, { target, size, end }: RotationRecord): Promise<boolean> {
  const copy = await openIfExists(target + COPYING, O_RDWR | NO_FOLLOW);
  if (copy === undefined) return false;
  try {
    if (fd === undefined || fstatSync(fd).size < size) return true;
    const [own, copied] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (let at = 0; at < end; at += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, end - at);
      readSync(fd, own, 0, length, at);
      readSync(copy, copied, 0, length, at);
      if (own.compare(copied, 0, length, 0, length) !== 0) return true;
    }
    return false;
  } finally {
    await close(copy);
  }
}
