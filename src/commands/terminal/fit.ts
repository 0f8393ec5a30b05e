import { splitCells, cellsWidth } from "../../core/index.ts";
import { withStyles, type Screen } from "./screen.ts";

export type Side = "left" | "right";

/** For ASCII, the width is the length. Only other text needs Unicode tables. */
export function displayWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : cellsWidth(splitCells(text));
}

export function fit(text: string, width: number, side: Side = "left", cut: "end" | "middle" = "end"): string {
  const cells = splitCells(text);
  const columns = cellsWidth(cells);
  const plainText = cells.map((cell) => cell.text).join("");
  if (columns <= width) {
    const space = " ".repeat(width - columns);
    return side === "left" ? plainText + space : space + plainText;
  }
  if (width < 1) return "";
  const tail = cut === "end" ? 0 : Math.floor((width - 1) / 2);
  const [head, end] = [takeCells(cells, width - 1 - tail), takeCells(cells.toReversed(), tail)];
  const shortened = `${head.text.join("")}…${end.text.toReversed().join("")}`;
  return shortened + " ".repeat(Math.max(0, width - 1 - head.columns - end.columns));
}

function takeCells(cells: readonly { text: string; width: number }[], width: number) {
  const text: string[] = [];
  let columns = 0;
  for (const cell of cells) {
    if (columns + cell.width > width) break;
    text.push(cell.text);
    columns += cell.width;
  }
  return { text, columns };
}

const MIN_FOLD_WIDTH = 20;

export function fold(text: string, { width }: Screen): string {
  if (width === undefined) return text;
  const foldLine = (line: string): string => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    return foldWords(line.slice(indent.length), Math.max(width - indent.length, MIN_FOLD_WIDTH))
      .map((part) => indent + part)
      .join("\n");
  };
  return text.split("\n").map(foldLine).join("\n");
}

/** Never breaks a word: a word that is too long gets its own line. */
export function foldWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const extended: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && displayWidth(withStyles(extended, false)) > width) {
      lines.push(line);
      line = word;
    } else line = extended;
  }
  return [...lines, line ?? ""];
}
