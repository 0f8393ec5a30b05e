import { FileError } from "../ports/index.ts";
import type { HistoryFiles } from "../ports/history.ts";
import { type Part, sizeOf, startOf } from "./parts.ts";
import { parseStep } from "./step.ts";

/** The first recorded moment, in milliseconds since 1970, and the size of all files. */
export async function extentOf(
  files: HistoryFiles,
  parts: readonly Part[],
): Promise<{ readonly since: number | null; readonly bytes: number }> {
  const oldest = Math.min(...parts.map(startOf));
  const begins = await Promise.all(
    parts.filter((part) => startOf(part) === oldest).map((part) => beginOf(files, part)),
  );
  return { since: begins.length === 0 ? null : Math.min(...begins), bytes: sizeOf(parts) };
}

/** The start of the hour if no step of it can be read. */
async function beginOf(files: HistoryFiles, part: Part): Promise<number> {
  try {
    const { lines } = await files.read(part.name);
    for (const line of lines) {
      const step = parseStep(line);
      if (step !== undefined) return step.atMs;
    }
    return startOf(part);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return startOf(part);
  }
}
