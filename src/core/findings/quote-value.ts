import { escapeHidden } from "../words/characters.ts";
import { maskCredentials } from "../secrets/redact.ts";
/** Short, on one line, without credentials and hidden characters. */
export function quoteValue(value: unknown): string {
  const text = escapeHidden(JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
