import { FileError } from "../files/ports.ts";
import type { HistoryFiles } from "./port-history.ts";
import { type Part, sizeOf, startOf } from "./parts.ts";
import { parseStep } from "./step.ts";

/** Closed hours do not change, so the oldest one is read once. */
const firstMoments = new WeakMap<HistoryFiles, { readonly partsId: string; readonly sinceMs: number }>();

/** The first recorded moment, in milliseconds since 1970, and the size of all files. */
export async function readExtent(
  files: HistoryFiles,
  parts: readonly Part[],
): Promise<{ readonly since: number | null; readonly bytes: number }> {
  const firstHour = Math.min(...parts.map(startOf));
  const oldest = parts.filter((part) => startOf(part) === firstHour);
  return { since: oldest.length === 0 ? null : await firstMomentOf(files, oldest), bytes: sizeOf(parts) };
}

async function firstMomentOf(files: HistoryFiles, oldest: readonly Part[]): Promise<number> {
  const ids = oldest.map(({ name, bytes }) => `${name} ${bytes}`);
  const partsId = ids.toSorted().join("\n");
  const known = firstMoments.get(files);
  if (known?.partsId === partsId) return known.sinceMs;
  const moments = await Promise.all(oldest.map((part) => readFirstMoment(files, part)));
  const sinceMs = Math.min(...oldest.map((part, index) => moments[index] ?? startOf(part)));
  const isClosed = oldest.every(({ kind }) => kind !== "open");
  if (isClosed && !moments.includes(undefined)) firstMoments.set(files, { partsId, sinceMs });
  return sinceMs;
}

/** The start of the hour if no step of it can be read, `undefined` if the file cannot be read. */
async function readFirstMoment(files: HistoryFiles, part: Part): Promise<number | undefined> {
  try {
    const { lines } = await files.read(part.name);
    for (const line of lines) {
      const step = parseStep(line);
      if (step !== undefined) return step.atMs;
    }
    return startOf(part);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return undefined;
  }
}
