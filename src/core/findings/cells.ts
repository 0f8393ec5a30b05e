/** A character as a reader sees it. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** In the line, in UTF-16 units. */
  readonly end: number;
}

const TAB = "    ";

/**
 * The Unicode tables take long to load. Creating a pattern already loads its tables, so those patterns are inside
 * functions.
 */
const PLAIN = /^[\x20-\x7e]*$/;

export function splitCells(line: string): Cell[] {
  if (PLAIN.test(line)) return Array.from(line, (text, index) => ({ text, width: 1, end: index + 1 }));
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line);
  return Array.from(graphemes, ({ segment, index }) => {
    const text = segment === "\t" ? TAB : toPrintable(segment);
    return { text, width: segment === "\t" ? TAB.length : graphemeWidth(text), end: index + segment.length };
  });
}

/** Removes everything that moves the cursor, breaks the line or changes the text direction. */
export function toPrintable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, " ")
    .replaceAll(
      // Control characters, direction marks and noncharacters: text from a file must not control a terminal.
      /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF]/gu,
      "\uFFFD",
    );
}

export function cellsWidth(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

function graphemeWidth(grapheme: string): number {
  const wide =
    /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}|\uFE0F/u;
  if (wide.test(grapheme)) return 2;
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

/** Like {@link toPrintable}, for names that are compared. */
export function escapeUnprintable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}
