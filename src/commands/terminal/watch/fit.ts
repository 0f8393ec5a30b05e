import { cellsOf, widthOf } from "../../../core/index.ts";

/** A text as it may stand in a terminal, in just so many columns: cut with `…`, or filled with spaces. */
export function fit(text: string, width: number, side: "left" | "right" = "left"): string {
  const cells = cellsOf(text);
  const columns = widthOf(cells);
  if (columns <= width) {
    const space = " ".repeat(width - columns);
    const shown = cells.map((cell) => cell.text).join("");
    return side === "left" ? shown + space : space + shown;
  }
  let shown = "";
  let left = width - 1;
  for (const cell of cells) {
    if (cell.width > left) break;
    shown += cell.text;
    left -= cell.width;
  }
  return width < 1 ? "" : `${shown}…${" ".repeat(Math.max(0, left))}`;
}
