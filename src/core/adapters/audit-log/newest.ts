import type { AuditRecord } from "../../api/audit-record.ts";
import type { AuditQuery, AuditPage } from "../../ports/index.ts";
import { recordsOf } from "./records.ts";

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

/** True for the first record of an attempt; read backwards, it has the outcome. */
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

/** @param text in lower case */
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
