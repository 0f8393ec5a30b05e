import { visible } from "../../core/index.ts";
import { MARKS, withStyles } from "./paint.ts";
import type { Screen } from "./screen.ts";

/**
 * The one form in which text reaches a terminal. Control characters and marks of direction are replaced, so no name or message
 * can move the cursor. Line breaks are those of the text, and colours are those of svcm.
 */
export function printable(text: string, { colours, isAscii }: Pick<Screen, "colours" | "isAscii">): string {
  const lines = text.split("\n").map(visibleBetweenMarks);
  const styled = withStyles(lines.join("\n"), colours > 0);
  return isAscii ? styled.replaceAll(/[▁-█▉-▏·…↻▾↑↓]/g, (symbol) => ASCII[symbol] ?? "?") : styled;
}

function visibleBetweenMarks(line: string): string {
  return line
    .split(MARKS)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join("");
}

/** The symbols that svcm draws, for a terminal without Unicode: one column each. */
const ASCII: Readonly<Record<string, string>> = {
  "▁": "_",
  "▂": ".",
  "▃": "-",
  "▄": "-",
  "▅": "=",
  "▆": "=",
  "▇": "#",
  "█": "#",
  "▏": ".",
  "▎": ":",
  "▍": ":",
  "▌": "-",
  "▋": "=",
  "▊": "=",
  "▉": "#",
  "·": ".",
  "…": "~",
  "↻": "R",
  "▾": "v",
  "↑": "^",
  "↓": "v",
};
