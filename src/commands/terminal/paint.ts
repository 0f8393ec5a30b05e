import type { Paint } from "../../core/index.ts";

/**
 * Two noncharacters mark a style until a text is printed, so a name cannot bring an escape sequence to the terminal.
 */
const STYLES = [
  ["bold", 1, 22],
  ["dim", 2, 22],
  ["red", 31, 39],
  ["green", 32, 39],
  ["yellow", 33, 39],
  ["cyan", 36, 39],
] as const;

const FIRST_MARK = 0xfdd0;
export const MARKS = /([\uFDD0-\uFDEF])/g;

/** Styles are marks for {@link withStyles}. */
export const paint = Object.fromEntries(
  STYLES.map(([name], index) => [name, (text: string) => `${markAt(index * 2)}${text}${markAt(index * 2 + 1)}`]),
) as Record<(typeof STYLES)[number][0], (text: string) => string> satisfies Paint;

export const unpainted = Object.fromEntries(STYLES.map(([name]) => [name, (text: string) => text])) as typeof paint;

function markAt(offset: number): string {
  return String.fromCharCode(FIRST_MARK + offset);
}

export function withStyles(text: string, hasColours: boolean): string {
  return text.replaceAll(MARKS, (mark) => {
    const offset = mark.charCodeAt(0) - FIRST_MARK;
    const code = STYLES[offset >> 1]?.[1 + (offset & 1)];
    return hasColours && code !== undefined ? `\u001B[${code}m` : "";
  });
}
