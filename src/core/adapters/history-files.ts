import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, createGunzip, gzip } from "node:zlib";
import { parsePartName, type Part } from "../history/parts.ts";
import type { HistoryFiles, PartText } from "../ports/history.ts";
import { appender } from "./files/append.ts";
import { createFolder } from "./files/folder.ts";
import { attempting } from "./files/file-error.ts";
import { fileLocks } from "./files/lock.ts";
import { putInPlace, writeNew } from "./files/write.ts";
import { discard, fstat, isRefusal, O_RDONLY, read, SAFELY, withFile } from "./files/system.ts";

/** One hour of a thousand processes has a tenth of this size. */
const MAX_PART_BYTES = 256 * 2 ** 20;
const PRIVATE_FILE = 0o600;
const LITTER = /\.svcm-new\./;
/** Another recorder holds its lock as long as it runs. */
const LOCK_MS = 0;

export function nodeHistoryFiles(folder: string): HistoryFiles {
  const path = (name: string): string => join(folder, name);
  const lock = path("recorder");
  const locks = fileLocks({ timeoutMs: LOCK_MS });
  let nonce = "";
  let appending: { readonly name: string; readonly append: (line: string) => Promise<void> } | undefined;
  return {
    async exclusively(work) {
      await attempting("record in", folder, () => createFolder(folder));
      return locks.hold({ target: lock, path: lock }, async (own) => {
        nonce = own;
        for (const name of names(folder)) if (LITTER.test(name)) await discard(path(name));
        return work();
      });
    },
    async append(name, lines) {
      if (appending?.name !== name)
        appending = { name, append: appender(path(name), { maxBytes: Number.POSITIVE_INFINITY, kept: 0 }) };
      const { append } = appending;
      await attempting("record in", path(name), () => append(lines.map((line) => `${line}\n`).join("")));
    },
    parts: () => attempting("read", folder, () => Promise.resolve(partsIn(folder))),
    read: (name) => attempting("read", path(name), () => readPart(path(name))),
    async seal(name, lines) {
      const target = path(name);
      const bytes = await promisify(gzip)(lines.map((line) => `${line}\n`).join(""));
      const write = (temporary: string): Promise<void> => writeNew(temporary, bytes, PRIVATE_FILE);
      await putInPlace({ target, path: target, nonce }, write, () => true);
    },
    remove: (name) => discard(path(name)),
  };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return [];
    throw error;
  }
}

function partsIn(folder: string): Part[] {
  return names(folder).flatMap((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return (stat?.isFile() ? parsePartName(name, stat.size) : undefined) ?? [];
  });
}

async function readPart(path: string): Promise<PartText> {
  const bytes = await withFile(path, O_RDONLY | SAFELY, async (fd) => {
    const { size } = await fstat(fd);
    const whole = Buffer.alloc(Math.min(Number(size), MAX_PART_BYTES));
    return whole.subarray(0, await read(fd, whole, 0));
  });
  if (!path.endsWith(".gz")) return { lines: linesOf(bytes) };
  const text = await inflated(bytes);
  // A gzip file ends with the size of its uncompressed content.
  const isWhole = bytes.length > 4 && bytes.readUInt32LE(bytes.length - 4) === text.length;
  return { lines: linesOf(text), ...(!isWhole && { damage: "HISTORY_PART_DAMAGED" as const }) };
}

function inflated(bytes: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const done = (): void => resolve(Buffer.concat(chunks));
    createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .once("end", done)
      .once("error", done)
      .end(bytes);
  });
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
