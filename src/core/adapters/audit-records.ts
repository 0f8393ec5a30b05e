import { type AuditRecord, auditRecord } from "../api/audit-record.ts";
import type { AuditPage, AuditQuery } from "../ports/index.ts";
import { attempting, refuse } from "./files/file-error.ts";
import { close, fstat, isRefusal, O_RDONLY, open, SAFELY } from "./files/system.ts";
import { linesBackwards } from "./files/log.ts";
import { parseRecord } from "../words/record.ts";

const MOST_WAITING = 10_000;

export async function newestRecords(
  logs: readonly (readonly string[])[],
  { limit, since, outcome, text }: AuditQuery,
  signal: AbortSignal | undefined,
): Promise<AuditPage> {
  const records: AuditRecord[] = [];
  let isComplete = true;
  if (limit <= 0) return { records, isComplete };
  const onCut = (): void => void (isComplete = false);
  const isFirst = onePerAttempt();
  const wanted = text?.toLowerCase();
  for await (const record of merged(logs.map((files) => recordsOf(files, { signal, onCut })))) {
    if (since !== undefined && Date.parse(record.timestamp) < since) break;
    if (!isFirst(record)) continue;
    if (outcome !== undefined && record.outcome !== outcome) continue;
    if (wanted !== undefined && !names(record, wanted)) continue;
    records.push(record);
    if (records.length >= limit) break;
  }
  return { records, isComplete };
}

async function* merged(sources: readonly AsyncGenerator<AuditRecord>[]): AsyncGenerator<AuditRecord> {
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      let newest = -1;
      let record: AuditRecord | undefined;
      heads.forEach(({ done, value }, index) => {
        if (done === true || (record !== undefined && value.timestamp <= record.timestamp)) return;
        newest = index;
        record = value;
      });
      if (record === undefined) return;
      yield record;
      const source = sources[newest];
      if (source !== undefined) heads[newest] = await source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

/** Reading backwards, the first record of an attempt has the outcome. */
function onePerAttempt(): (record: AuditRecord) => boolean {
  const waiting = new Set<string>();
  return ({ id, outcome }) => {
    if (waiting.delete(id)) return false;
    if (outcome === "succeeded" || outcome === "failed") waiting.add(id);
    for (const oldest of waiting) {
      if (waiting.size <= MOST_WAITING) break;
      waiting.delete(oldest);
    }
    return true;
  };
}

function names({ action, environment, service, keys, processes, target, actor }: AuditRecord, text: string): boolean {
  const all = [
    action,
    environment,
    service,
    target,
    actor,
    ...(keys ?? []),
    ...(processes ?? []).map(({ name }) => name),
  ];
  return all.some((name) => name?.toLowerCase().includes(text));
}

/** If this many bytes hold no record, another program has filled the log. */
const MOST_FOREIGN_BYTES = 16 * 2 ** 20;

interface Reading {
  readonly signal?: AbortSignal | undefined;
  readonly onCut: () => void;
}

/** Newest first. Skips torn and foreign lines. @throws {FileError}; the signal's reason if it is aborted */
async function* recordsOf(files: readonly string[], reading: Reading): AsyncGenerator<AuditRecord> {
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

const storedRecord = auditRecord.strip();

function parseLine(line: string): AuditRecord | undefined {
  const fields = parseRecord(line);
  const { environment, ...others } = fields ?? {};
  // Older logs have an empty environment instead of omitting it.
  return storedRecord.safeParse(environment === "" ? others : fields).data;
}
