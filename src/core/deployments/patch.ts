import { maskSource } from "../secrets/redact.ts";
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
export function patchOf({ file, before, after, changes }: PatchedText): string | undefined {
  const hunks = hunksOf(linesOf(before ?? ""), linesOf(after), changes);
  if (hunks.some(({ lines }) => lines.some(([, text]) => maskSource(text) !== text))) return undefined;
  const head = `--- ${before === undefined ? "/dev/null" : `a/${file}`}\n+++ b/${file}\n`;
  return hunks.length === 0 ? "" : head + hunks.map(hunkText).join("");
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function hunksOf(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Hunk[] {
  const all = allLines(before, after, changes);
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
    return { from: countOf(above, "-") + 1, to: countOf(above, "+") + 1, lines: all.slice(start, end) };
  });
}

/** A different line end counts as a change. */
function allLines(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): Line[] {
  const lines: Line[] = [];
  let [old, young] = [0, 0];
  const keep = (until: number): void => {
    for (; old < until; old++, young++) {
      const [was, is] = [before[old] ?? "", after[young] ?? ""];
      if (was === is) lines.push([" ", was]);
      else lines.push(["-", was], ["+", is]);
    }
  };
  for (const change of changes) {
    keep(change.line - 1);
    lines.push(...before.slice(old, old + change.before.length).map((text): Line => ["-", text]));
    lines.push(...after.slice(young, young + change.after.length).map((text): Line => ["+", text]));
    old += change.before.length;
    young += change.after.length;
  }
  keep(before.length);
  return lines;
}

function countOf(lines: readonly Line[], mark: "-" | "+"): number {
  return lines.filter(([other]) => other === " " || other === mark).length;
}

function hunkText({ from, to, lines }: Hunk): string {
  const [old, young] = [countOf(lines, "-"), countOf(lines, "+")];
  const text = lines.map(
    ([mark, line]) => `${mark}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`,
  );
  return `@@ -${rangeText(from, old)} +${rangeText(to, young)} @@\n${text.join("")}`;
}

/** The range of an empty hunk refers to the line above it. */
function rangeText(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
