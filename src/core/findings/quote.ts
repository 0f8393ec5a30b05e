import { unreadableAsCodes } from "./cells.ts";

/** Hidden characters are shown as code points. */
export function setOnOneLine(text: string, limit: number): string {
  const line = unreadableAsCodes(text);
  const characters = Array.from(line);
  if (characters.length > limit) return `${characters.slice(0, limit - 1).join("")}…`;
  return line === "" ? "(empty)" : line;
}

const MAX_VALUE = 120;

/** Markup, HTML, mentions and references have no effect. The fence has more backticks than any run in the text. */
export function codeSpan(text: string, limit = MAX_VALUE): string {
  const line = setOnOneLine(text, limit);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // Markdown drops one space on each side if both sides have one.
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
