import { escapeUnprintable } from "./cells.ts";
import { escapeHidden } from "../words/characters.ts";
import { maskCredentials } from "../secrets/redact.ts";

export function toOneLine(text: string, limit: number): string {
  const line = escapeUnprintable(text);
  const characters = Array.from(line);
  if (characters.length > limit) return `${characters.slice(0, limit - 1).join("")}…`;
  return line === "" ? "(empty)" : line;
}

const MAX_VALUE_LENGTH = 120;

/** Markup, HTML, mentions and references have no effect. The fence has more backticks than any run in the text. */
export function codeSpan(text: string, limit = MAX_VALUE_LENGTH): string {
  const line = toOneLine(text, limit);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // Markdown drops one space on each side if both sides have one.
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Short, on one line, without credentials and hidden characters. */
export function quoteValue(value: unknown): string {
  const text = escapeHidden(JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
