import type { Screen } from "./screen.ts";

const NARROWEST = 20;

/** Folds lines that are wider than the window; what goes on stands behind the indent of its line. */
export async function fold(text: string, { width }: Screen): Promise<string> {
  if (width === undefined) return text;
  const { default: wrap } = await import("wrap-ansi");
  const foldLine = (line: string): string => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    const room = Math.max(width - indent.length, NARROWEST);
    const folded = wrap(line.slice(indent.length), room, { hard: true });
    return `${indent}${folded.replaceAll("\n", `\n${indent}`)}`;
  };
  return text.split("\n").map(foldLine).join("\n");
}
