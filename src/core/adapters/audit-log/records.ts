import type { AuditRecord } from "../../api/audit-record.ts";
import { attempting, refuse } from "../files/file-error.ts";
import { close, fstat, isRefusal, O_RDONLY, open, SAFELY } from "../files/system.ts";
import { parseLine } from "./line.ts";
import { linesBackwards } from "../files/lines-backwards.ts";

/** After this many bytes without a record, another program has filled the log and reading ends. */
const MOST_FOREIGN_BYTES = 16 * 2 ** 20;

export interface Reading {
  readonly signal?: AbortSignal | undefined;
  readonly onCut: () => void;
}

/**
 * The records of a log and its older files, newest first. Skips torn and foreign lines.
 * @throws {FileError} if a file cannot be read; the signal's reason if it is aborted
 */
export async function* recordsOf(files: readonly string[], reading: Reading): AsyncGenerator<AuditRecord> {
  const seen = new Set<string>();
  for (const file of files) {
    const fd = await attempting("read", file, () => openIfThere(file));
    if (fd === undefined) continue;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw refuse("ENOTREG", "read", file);
      // A rotation may rename a file that was already read.
      const identity = `${stat.dev}:${stat.ino}`;
      if (seen.has(identity)) continue;
      seen.add(identity);
      if (!(yield* recordsIn(fd, Number(stat.size), reading))) return;
    } finally {
      await close(fd);
    }
  }
}

/** Returns false if reading ended early. */
async function* recordsIn(fd: number, size: number, { signal, onCut }: Reading): AsyncGenerator<AuditRecord, boolean> {
  let foreignBytes = 0;
  for await (const { lines, bytes } of linesBackwards(fd, size)) {
    signal?.throwIfAborted();
    foreignBytes += bytes;
    for (const line of lines) {
      const record = line.startsWith("{") ? parseLine(line) : undefined;
      if (record === undefined) continue;
      foreignBytes = 0;
      yield record;
    }
    if (foreignBytes > MOST_FOREIGN_BYTES) {
      onCut();
      return false;
    }
  }
  return true;
}

async function openIfThere(file: string): Promise<number | undefined> {
  try {
    return await open(file, O_RDONLY | SAFELY);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    throw error;
  }
}
