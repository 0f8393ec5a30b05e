import type { AuditPage, AuditQuery } from "./ports.ts";
import { type AuditRecord, auditRecord } from "../api/audit-record.ts";

import { attempt, fileError, close, fstat, NO_FOLLOW, O_RDONLY, openIfExists } from "../files/system.ts";
import { readLinesBackwards } from "../files/log.ts";
import { parseRecord } from "../words/record.ts";

const MAX_PENDING = 10_000;

export async function readNewestRecords(
  logs: readonly (readonly string[])[],
  { limit, since, outcome, text }: AuditQuery,
  signal: AbortSignal | undefined,
): Promise<AuditPage> {
  const records: AuditRecord[] = [];
  let isComplete = true;
  if (limit <= 0) return { records, isComplete };
  const onTruncated = (): void => void (isComplete = false);
  const isNewAttempt = createAttemptFilter();
  const searchText = text?.toLowerCase();
  for await (const record of mergeNewestFirst(logs.map((files) => readRecords(files, { signal, onTruncated })))) {
    if (since !== undefined && Date.parse(record.timestamp) < since) break;
    if (!isNewAttempt(record)) continue;
    if (outcome !== undefined && record.outcome !== outcome) continue;
    if (searchText !== undefined && !mentions(record, searchText)) continue;
    records.push(record);
    if (records.length >= limit) break;
  }
  return { records, isComplete };
}

async function* mergeNewestFirst(sources: readonly AsyncGenerator<AuditRecord>[]): AsyncGenerator<AuditRecord> {
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
function createAttemptFilter(): (record: AuditRecord) => boolean {
  const pending = new Set<string>();
  return ({ id, outcome }) => {
    if (pending.delete(id)) return false;
    if (outcome === "succeeded" || outcome === "failed") pending.add(id);
    for (const oldest of pending) {
      if (pending.size <= MAX_PENDING) break;
      pending.delete(oldest);
    }
    return true;
  };
}

function mentions(
  { action, environment, service, keys, processes, target, actor }: AuditRecord,
  text: string,
): boolean {
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
const MAX_FOREIGN_BYTES = 16 * 2 ** 20;

interface ReadContext {
  readonly signal?: AbortSignal | undefined;
  readonly onTruncated: () => void;
}

/** Newest first. Skips torn and foreign lines. @throws {FileError}; the signal's reason if it is aborted */
async function* readRecords(files: readonly string[], context: ReadContext): AsyncGenerator<AuditRecord> {
  const seen = new Set<string>();
  for (const file of files) {
    const fd = await attempt("read", file, () => openIfExists(file, O_RDONLY | NO_FOLLOW));
    if (fd === undefined) continue;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw fileError("ENOTREG", "read", file);
      // A rotation may rename a file that was already read.
      const identity = `${stat.dev}:${stat.ino}`;
      if (seen.has(identity)) continue;
      seen.add(identity);
      if (!(yield* readRecordsFrom(fd, Number(stat.size), context))) return;
    } finally {
      await close(fd);
    }
  }
}

async function* readRecordsFrom(
  fd: number,
  size: number,
  { signal, onTruncated }: ReadContext,
): AsyncGenerator<AuditRecord, boolean> {
  let foreignBytes = 0;
  for await (const { lines, bytes } of readLinesBackwards(fd, size)) {
    signal?.throwIfAborted();
    foreignBytes += bytes;
    for (const line of lines) {
      const record = line.startsWith("{") ? parseAuditRecord(line) : undefined;
      if (record === undefined) continue;
      foreignBytes = 0;
      yield record;
    }
    if (foreignBytes > MAX_FOREIGN_BYTES) {
      onTruncated();
      return false;
    }
  }
  return true;
}

const storedRecord = auditRecord.strip();

function parseAuditRecord(line: string): AuditRecord | undefined {
  const fields = parseRecord(line);
  const { environment, ...others } = fields ?? {};
  // Older logs have an empty environment instead of omitting it.
  return storedRecord.safeParse(environment === "" ? others : fields).data;
}
