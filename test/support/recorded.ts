/** Steps of an invented history. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formatStep, STEP_MS, type Step } from "../../src/core/history/step.ts";
import { hourOf, partName } from "../../src/core/history/parts.ts";
import { aggregateMinutes } from "../../src/core/history/columns.ts";

export const MIB = 2 ** 20;

/** A host at 10 %, and `api/0` at 1 % with the given memory. */
export function stepAt(atMs: number, memoryBytes = 100 * MIB): Step {
  return { atMs, host: [10, 50, 40], processes: { "api/0": [1, memoryBytes, 0, 0, 3] } };
}

/** One step every ten seconds. */
export function stepsBetween(fromMs: number, toMs: number, memoryAt = (_ms: number): number => 100 * MIB): Step[] {
  const count = Math.floor((toMs - fromMs) / STEP_MS);
  return Array.from({ length: count }, (_, at) => fromMs + at * STEP_MS).map((ms) => stepAt(ms, memoryAt(ms)));
}

export function historyFolder(root: string): string {
  return join(root, ".svcm/history");
}

/** Writes the files of a recorder: the hour of `openAtMs` is open, the others are closed. */
export function writeHistory(root: string, steps: readonly Step[], openAtMs: number): void {
  const folder = historyFolder(root);
  mkdirSync(folder, { recursive: true });
  for (const hour of new Set(steps.map(({ atMs }) => hourOf(atMs)))) {
    const group = steps.filter(({ atMs }) => hourOf(atMs) === hour);
    const write = (kind: "open" | "steps" | "minutes", some: readonly Step[]): void => {
      const text = some.map((step) => `${formatStep(step)}\n`).join("");
      writeFileSync(join(folder, partName(hour, kind)), kind === "open" ? text : gzipSync(text));
    };
    if (hour === hourOf(openAtMs)) write("open", group);
    else {
      write("steps", group);
      write("minutes", aggregateMinutes(group));
    }
  }
}
