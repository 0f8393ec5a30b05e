import { Chalk } from "chalk";
import { type Paint, toPrintable } from "../../core/index.ts";
import type { Screen } from "./screen.ts";

/** Two noncharacters mark each style until the text is printed, so a name cannot send an escape sequence. */
const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

const CHALK = new Chalk({ level: 1 });
/** The escape codes that start and end each style, in the order of the marks. */
const CODES = STYLES.flatMap((name) => CHALK[name]("|").split("|"));

const FIRST_MARK = 0xfdd0;
export const MARKS = /([\uFDD0-\uFDEF])/g;

export const paint = Object.fromEntries(
  STYLES.map((name, index) => [name, (text: string) => `${markAt(index * 2)}${text}${markAt(index * 2 + 1)}`]),
) as Record<(typeof STYLES)[number], (text: string) => string> satisfies Paint;

export const unpainted = Object.fromEntries(STYLES.map((name) => [name, (text: string) => text])) as typeof paint;

function markAt(offset: number): string {
  return String.fromCharCode(FIRST_MARK + offset);
}

export function withStyles(text: string, hasColours: boolean): string {
  return text.replaceAll(MARKS, (mark) => (hasColours ? (CODES[mark.charCodeAt(0) - FIRST_MARK] ?? "") : ""));
}

/** Undoes `withStyles`, for a text whose names are escaped already. */
export function withMarks(text: string): string {
  return CODES.reduce((marked, code, index) => marked.replaceAll(code, markAt(index)), text);
}

/** Replaces control characters and direction marks, so that no name can move the cursor. */
export function printable(text: string, { colours, isAscii }: Pick<Screen, "colours" | "isAscii">): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  const lines = text.split("\n").map(visibleBetweenMarks);
  const styled = withStyles(lines.join("\n"), colours > 0);
  return isAscii ? styled.replaceAll(/[▁-█▉-▏·…↻▾↑↓]/g, (symbol) => IN_ASCII[SYMBOLS.indexOf(symbol)] ?? "?") : styled;
}

function visibleBetweenMarks(line: string): string {
  return line
    .split(MARKS)
    .map((part, index) => (index % 2 === 0 ? toPrintable(part) : part))
    .join("");
}

/** In the order of the replacements for a terminal without Unicode. */
const SYMBOLS = "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉·…↻▾↑↓";
const IN_ASCII = "_.--==##.::-==#.~Rv^v";
