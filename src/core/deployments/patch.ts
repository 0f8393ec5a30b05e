import { maskSource } from "../secrets/redact.ts";
import { isInsideSecret } from "../secrets/source-lines.ts";
import type { LineChange } from "../words/line-change.ts";

const CONTEXT = 3;

type Line = readonly [mark: " " | "-" | "+", text: string];

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
}

export interface PatchedText {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly changes: readonly LineChange[];
}

/** For `git apply` in the folder of the file. `undefined` if a line would show a credential. */
export function renderPatch({ file, before, after, changes }: PatchedText): string | undefined {
  const [old, next] = [splitLines(before ?? ""), splitLines(after)];
  const hunks = buildHunks(old, next, changes);
  if (hunks.some((hunk) => hasSecret(hunk, old, next))) return undefined;
  const head = `--- ${before === undefined ? "/dev/null" : `a/${file}`}\n+++ b/${file}\n`;
  return hunks.length === 0 ? "" : head + hunks.map(renderHunk).join("");
}

function hasSecret({ from, to, lines }: Hunk, before: readonly string[], after: readonly string[]): boolean {
  return (
    lines.some(([, text]) => maskSource(text) !== text) ||
    continuesSecret(before, from, countLines(lines, "-")) ||
    continuesSecret(after, to, countLines(lines, "+"))
  );
}

function continuesSecret(lines: readonly string[], from: number, count: number): boolean {
  return lines.slice(from - 1, from - 1 + count).some((_line, index) => isInsideSecret(lines, from - 1 + index));
}

function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function buildHunks(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Hunk[] {
  const all = markLines(before, after, changes);
  const changedAt = all.flatMap(([mark], at) => (mark === " " ? [] : [at]));
  const ranges: { start: number; end: number }[] = [];
  for (const at of changedAt) {
    const [start, end] = [Math.max(at - CONTEXT, 0), Math.min(at + CONTEXT + 1, all.length)];
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges.map(({ start, end }) => {
    const above = all.slice(0, start);
    return { from: countLines(above, "-") + 1, to: countLines(above, "+") + 1, lines: all.slice(start, end) };
  });
}

function markLines(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Line[] {
  const lines: Line[] = [];
  let [oldIndex, newIndex] = [0, 0];
  const copyUntil = (end: number): void => {
    for (; oldIndex < end; oldIndex++, newIndex++) {
      const [oldLine, newLine] = [before[oldIndex] ?? "", after[newIndex] ?? ""];
      if (oldLine === newLine) lines.push([" ", oldLine]);
      else lines.push(["-", oldLine], ["+", newLine]);
    }
  };
  for (const change of changes) {
    copyUntil(change.line - 1);
    lines.push(...before.slice(oldIndex, oldIndex + change.before.length).map((text): Line => ["-", text]));
    lines.push(...after.slice(newIndex, newIndex + change.after.length).map((text): Line => ["+", text]));
    oldIndex += change.before.length;
    newIndex += change.after.length;
  }
  copyUntil(before.length);
  return lines;
}

function countLines(lines: readonly Line[], mark: "-" | "+"): number {
  return lines.filter(([other]) => other === " " || other === mark).length;
}

function renderHunk({ from, to, lines }: Hunk): string {
  const [oldCount, newCount] = [countLines(lines, "-"), countLines(lines, "+")];
  const text = lines.map(
    ([mark, line]) => `${mark}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`,
  );
  return `@@ -${rangeText(from, oldCount)} +${rangeText(to, newCount)} @@\n${text.join("")}`;
}

/** The range of an empty hunk refers to the line above it. */
function rangeText(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
