/**
 * One text for each value of a declaration, so that what an ecosystem file declares and what PM2
 * made of it have the same digest. A value of an environment reads as the process sees it, arguments
 * as the list into which PM2 splits them.
 */
export function canonicalValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Arguments as a list: PM2 takes a list, or one text that it splits. */
export function canonicalArguments(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(canonicalValue));
  const words = value === undefined || value === null ? [] : (canonicalValue(value).match(ARGUMENT) ?? []);
  return JSON.stringify(words.map(withoutQuotes).filter((word) => word.trim() !== ""));
}

/** As PM2 splits a text of arguments. */
const ARGUMENT = /[^\s"'=]+="[^"]*"|[^\s"'=]+='[^']*'|"[^"]*"|'[^']*'|\S+/g;

function withoutQuotes(word: string): string {
  const quote = word[0];
  const isQuoted = (quote === '"' || quote === "'") && word.endsWith(quote);
  return isQuoted ? word.slice(1, -1) : word;
}
