import type { HistoryFiles } from "../ports/history.ts";
import { minutesOf } from "./combine.ts";
import { nameOf, type PartKind } from "./parts.ts";
import { HEADING, lineOf, parseStep } from "./step.ts";

/**
 * The open file is removed last, so a crash loses nothing: the next call finds the same lines in both files and keeps
 * one copy. If the clock returns to a closed hour, its lines are merged in the same way.
 */
export async function sealHour(files: HistoryFiles, hour: string): Promise<void> {
  const sealed = await linesOf(files, hour, "steps");
  const open = await linesOf(files, hour, "open");
  const steps = [...new Set([...sealed, ...open])].flatMap((line) => parseStep(line) ?? []);
  if (steps.length > 0) {
    const inOrder = steps.toSorted((a, b) => a.atMs - b.atMs);
    await files.seal(nameOf(hour, "steps"), [HEADING, ...inOrder.map(lineOf)]);
    await files.seal(nameOf(hour, "minutes"), [HEADING, ...minutesOf(inOrder).map(lineOf)]);
  }
  await files.remove(nameOf(hour, "open"));
}

async function linesOf(files: HistoryFiles, hour: string, kind: PartKind): Promise<readonly string[]> {
  const name = nameOf(hour, kind);
  const isThere = (await files.list()).some((part) => part.name === name);
  return isThere ? (await files.read(name)).lines : [];
}
