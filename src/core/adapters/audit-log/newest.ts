import type { AuditRecord } from "../../contract/audit-record.ts";
import { refuse } from "../files/file-error.ts";
import { fstat, isRefusal, O_RDONLY, SAFELY, withFile } from "../files/system.ts";
import { parseLine } from "./line.ts";
import { linesBackwards } from "./lines-backwards.ts";

/** How many records further back the first line of a mutation is looked for. */
const LOOK_BACK = 1000;

/** The newest mutations of the file, one record each, however large the file is. */
export async function newestRecords(file: string, limit: number): Promise<AuditRecord[]> {
  try {
    return await withFile(file, O_RDONLY | SAFELY, async (fd) => {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw refuse("ENOTREG", "read", file);
      return await collect(linesBackwards(fd, Number(stat.size)), limit);
    });
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return [];
    throw error;
  }
}

/** Goes on after the last record for a while: the line with which a mutation began is older. */
async function collect(lines: AsyncIterable<string>, limit: number): Promise<AuditRecord[]> {
  const found = new Map<string, AuditRecord>();
  const halves = new Set<string>();
  let surplus = 0;
  if (limit <= 0) return [];
  for await (const line of lines) {
    const record = parseLine(line);
    if (record === undefined) continue;
    const { id } = record;
    const newer = found.get(id);
    if (newer !== undefined) {
      found.set(id, merge(record, newer));
      halves.delete(id);
    } else if (found.size < limit) {
      found.set(id, record);
      if (record.outcome !== "started") halves.add(id);
    } else {
      surplus++;
    }
    if (found.size >= limit && (halves.size === 0 || surplus >= LOOK_BACK)) break;
  }
  return [...found.values()];
}

/** What the outcome says holds; what only the beginning says is kept. */
function merge(older: AuditRecord, newer: AuditRecord): AuditRecord {
  const isOutcomeOlder = newer.outcome === "started" && older.outcome !== "started";
  return isOutcomeOlder ? { ...newer, ...older } : { ...older, ...newer };
}
