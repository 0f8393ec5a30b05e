import { visible } from "../../core/index.ts";
import { MARKS, withStyles } from "./paint.ts";
import type { Screen } from "./screen.ts";

/** Replaces control characters and marks of direction in every text, so no name can move the cursor. */
export function printable(text: string, { colours, isAscii }: Pick<Screen, "colours" | "isAscii">): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  const lines = text.split("\n").map(visibleBetweenMarks);
  const styled = withStyles(lines.join("\n"), colours > 0);
  return isAscii ? styled.replaceAll(/[▁-█▉-▏·…↻▾↑↓]/g, (symbol) => IN_ASCII[SYMBOLS.indexOf(symbol)] ?? "?") : styled;
}

function visibleBetweenMarks(line: string): string {
  return line
    .split(MARKS)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join("");
}

/** Symbols, and their replacements on a terminal without Unicode, in the same order. */
const SYMBOLS = "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉·…↻▾↑↓";
const IN_ASCII = "_.--==##.::-==#.~Rv^v";
