import { diffLines, type LineChange } from "../../words/line-change.ts";

/** Replaces a range of a text. An insertion has an empty range. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns `undefined` if two splices overlap. Splices at the same offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string | undefined {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, text: replacement } of sortByStart(splices)) {
    if (start < position) return undefined;
    parts.push(text.slice(position, start), replacement);
    position = end;
  }
  return parts.join("") + text.slice(position);
}

export function lineChanges(text: string, splices: readonly Splice[]): LineChange[] {
  const groups: Splice[][] = [];
  for (const splice of sortByStart(splices)) {
    const last = groups.at(-1);
    if (last && lineStart(text, splice.start) <= groupEnd(text, last)) last.push(splice);
    else groups.push([splice]);
  }
  let line = 1;
  let counted = 0;
  return groups.flatMap((group) => {
    const start = lineStart(text, group[0]?.start ?? 0);
    const end = groupEnd(text, group);
    const moved = group.map((splice) => ({ ...splice, start: splice.start - start, end: splice.end - start }));
    const before = text.slice(start, end);
    line += text.slice(counted, start).split("\n").length - 1;
    counted = start;
    return diffLines(line, splitLines(before), splitLines(applySplices(before, moved) ?? "")) ?? [];
  });
}

/** A splice of whole lines does not affect the neighbouring lines. */
function groupEnd(text: string, group: readonly Splice[]): number {
  const { start, end, text: added } = group.at(-1) ?? { start: 0, end: 0, text: "" };
  const replacesLines = lineStart(text, start) === start && lineStart(text, end) === end && /(?:^|\n)$/.test(added);
  return replacesLines ? end : nextLine(text, end);
}

export function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1;
}

export function nextLine(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end === -1 ? text.length : end + 1;
}

export function restOfLine(text: string, position: number): string {
  return text.slice(position, nextLine(text, position)).replace(/\r?\n$/, "");
}

/** For the last line, the line break used in the document. */
export function lineBreakAt(text: string, position: number): string {
  const end = text.indexOf("\n", position);
  const found = end === -1 ? text.indexOf("\n") : end;
  return found > 0 && text[found - 1] === "\r" ? "\r\n" : "\n";
}

export function insertLines(text: string, position: number, lines: readonly string[]): Splice {
  const start = nextLine(text, position);
  const lineBreak = lineBreakAt(text, position);
  const joined = lines.join(lineBreak);
  const isAtLineStart = start === 0 || text[start - 1] === "\n";
  return { start, end: start, text: isAtLineStart ? joined + lineBreak : lineBreak + joined };
}

export function removeLines(text: string, start: number, end: number): Splice {
  const isLast = end === text.length && text[end - 1] !== "\n";
  const before = text.slice(0, start);
  // Otherwise a blank line above would become a final line break.
  return { start: isLast ? before.replace(/(?:\r?\n[ \t]*)+$/, "").length : start, end, text: "" };
}

function sortByStart(splices: readonly Splice[]): Splice[] {
  return splices.toSorted((a, b) => a.start - b.start);
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
