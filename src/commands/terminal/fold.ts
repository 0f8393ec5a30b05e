import { columnsOf } from "./fit.ts";
import { withStyles } from "./paint.ts";
import type { Screen } from "./screen.ts";

const NARROWEST = 20;

/** Keeps the indent of each line. */
export function fold(text: string, { width }: Screen): string {
  if (width === undefined) return text;
  const foldLine = (line: string): string => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    return foldWords(line.slice(indent.length), Math.max(width - indent.length, NARROWEST))
      .map((part) => indent + part)
      .join("\n");
  };
  return text.split("\n").map(foldLine).join("\n");
}

/** Never breaks a word: a longer one has its own line. */
export function foldWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && columnsOf(withStyles(longer, false)) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line ?? ""];
}
