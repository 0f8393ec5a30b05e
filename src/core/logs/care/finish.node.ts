/** The steps of a rotation from the cut on. Each of them may already have been done. */
import {
  existsSync,
  fstatSync,
  futimesSync,
  readSync,
  writeSync,
  createReadStream,
  createWriteStream,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  close,
  discard,
  fsync,
  listIfReadable,
  NO_FOLLOW,
  O_RDWR,
  openIfExists,
  read,
  rename,
  withFile,
  hasErrorCode,
} from "../../files/system.ts";
import { syncFolder } from "../../files/write.ts";
import { COPYING } from "../rotated.ts";
import { pipeline } from "node:stream/promises";
import { chmod, chown, utimes } from "node:fs/promises";
import { createGzip } from "node:zlib";
import { spawn } from "node:child_process";
import type { CutWay } from "../../api/names.ts";
import { parseRecord } from "../../words/record.ts";

const CHUNK_BYTES = 2 ** 20;

export async function finishCut(
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

/** Level 9 takes six times as long, and saves an eighth of the space. */
const LEVEL = 1;

/** Replaces a file by its compressed form, with the same times: the order of rotated files rests on them. */
async function pack(path: string, onStep?: (step: string) => void): Promise<void> {
  const packed = `${path}.gz`;
  if (!existsSync(path)) return;
  if (!existsSync(packed)) {
    const temporary = `${packed}.tmp`;
    await discard(temporary);
    const { mode, atime, mtime, uid, gid } = statSync(path);
    const out = createWriteStream(temporary, { flags: "wx", mode: 0o600 });
    // A full disk keeps the plain file, and gets back what the other one took.
    await pipeline(createReadStream(path), createGzip({ level: LEVEL }), out).catch(async (error: unknown) => {
      await discard(temporary);
      throw error;
    });
    if (process.getuid?.() === 0) await chown(temporary, uid, gid);
    await chmod(temporary, mode & 0o666);
    await withFile(temporary, O_RDWR, fsync);
    await utimes(temporary, atime, mtime);
    await rename(temporary, packed);
    await syncFolder(dirname(path));
    onStep?.("packed");
  }
  await discard(path);
  onStep?.("unpacked gone");
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

/** Written before each step of a rotation, so that a later run can finish or undo one that was killed. */
export interface RotationRecord {
  readonly version: 1;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly way: CutWay;
  /** Of the file, before the cut. */
  readonly size: number;
  /** The bytes that are cut off. */
  readonly cut: number;
  /** Bytes in the copy: up to the end of the line that the cut divides. */
  readonly end: number;
  /** The path of the copy, once the head is cut off. */
  readonly target: string;
  readonly compress: boolean;
  /** `copy`: the file is untouched. `cut`: it may be cut. `pack`: it is cut, and the copy has its name. */
  readonly phase: "copy" | "cut" | "pack";
}

export interface Journal {
  save(record: RotationRecord): Promise<void>;
  clear(): Promise<void>;
}

export function parseRotationRecord(text: string): RotationRecord | undefined {
  const record = parseRecord(text) as RotationRecord | undefined;
  return record?.version === 1 ? record : undefined;
}

export const NEWLINE = 0x0a;

/** The beginning of the log after the cut is the rest of a line, or, once that was blanked, line breaks. */
function isRestOfLine(head: Uint8Array, rest: Uint8Array): boolean {
  return head.length === rest.length && head.every((byte, at) => byte === rest[at] || byte === NEWLINE);
}

/** @param lineEnd of the last line that may be cut off */
export function cutPlace(lineEnd: number, size: number, unit: number): number {
  const place = Math.floor(lineEnd / unit) * unit;
  // The kernel refuses to cut off everything.
  return place >= size ? place - unit : place;
}
