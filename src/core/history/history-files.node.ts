import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, createGunzip, gzip } from "node:zlib";
import { parsePartName, type Part } from "./parts.ts";
import type { HistoryFiles, PartText } from "./port-history.ts";
import { createAppender } from "../files/append.ts";
import { attempt, discard, fstat, hasErrorCode, NO_FOLLOW, O_RDONLY, read, withFile } from "../files/system.ts";
import { fileLocks } from "../files/lock.ts";
import { createFolder, replacePrivate } from "../files/write.ts";

/** One hour of a thousand processes has a tenth of this size. */
const MAX_PART_BYTES = 256 * 2 ** 20;
const LEFTOVER = /\.svcm-new\./;
/** Another recorder holds its lock as long as it runs. */
const LOCK_TIMEOUT_MS = 0;

export function nodeHistoryFiles(folder: string): HistoryFiles {
  const path = (name: string): string => join(folder, name);
  const lock = path("recorder");
  const locks = fileLocks({ timeoutMs: LOCK_TIMEOUT_MS });
  let nonce = "";
  let appending: { readonly name: string; readonly append: (line: string) => Promise<void> } | undefined;
  return {
    async withLock(work) {
      await attempt("record in", folder, () => createFolder(folder));
      return locks.withLock({ target: lock, path: lock }, async (ownNonce) => {
        nonce = ownNonce;
        for (const name of listNames(folder)) if (LEFTOVER.test(name)) await discard(path(name));
        return work();
      });
    },
    async append(name, lines) {
      if (appending?.name !== name)
        appending = {
          name,
          append: createAppender(path(name), { maxBytes: Number.POSITIVE_INFINITY, maxOldFiles: 0 }),
        };
      const { append } = appending;
      await attempt("record in", path(name), () => append(lines.map((line) => `${line}\n`).join("")));
    },
    list: () => attempt("read", folder, () => Promise.resolve(listParts(folder))),
    read: (name) => attempt("read", path(name), () => readPart(path(name))),
    async seal(name, lines) {
      const target = path(name);
      const bytes = await promisify(gzip)(lines.map((line) => `${line}\n`).join(""));
      await replacePrivate({ target, path: target, nonce }, bytes);
    },
    remove: (name) => discard(path(name)),
  };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

function listParts(folder: string): Part[] {
  return listNames(folder).flatMap((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return (stat?.isFile() ? parsePartName(name, stat.size) : undefined) ?? [];
  });
}

async function readPart(path: string): Promise<PartText> {
  const bytes = await withFile(path, O_RDONLY | NO_FOLLOW, async (fd) => {
    const { size } = await fstat(fd);
    const buffer = Buffer.alloc(Math.min(Number(size), MAX_PART_BYTES));
    return buffer.subarray(0, await read(fd, buffer, 0));
  });
  if (!path.endsWith(".gz")) return { lines: splitLines(bytes) };
  const text = await inflate(bytes);
  // A gzip file ends with the size of its uncompressed content.
  const isComplete = bytes.length > 4 && bytes.readUInt32LE(bytes.length - 4) === text.length;
  return { lines: splitLines(text), ...(!isComplete && { damage: "HISTORY_PART_DAMAGED" as const }) };
}

function inflate(bytes: Buffer): Promise<Buffer> {
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

function splitLines(bytes: Buffer): string[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
