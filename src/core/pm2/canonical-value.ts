/**
 * Returns one text for each value of a declaration, so that the value in an ecosystem file and PM2's own form of it
 * have the same digest. A variable becomes the text that the process sees; arguments become the list into which PM2
 * splits them.
 */
export function canonicalValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function canonicalArguments(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(canonicalValue));
  return JSON.stringify(value === undefined || value === null ? [] : splitArguments(canonicalValue(value)));
}

export function splitArguments(text: string): string[] {
  const words = text.match(/[^\s"'=]+="[^"]*"|[^\s"'=]+='[^']*'|"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2")).filter((word) => word.trim() !== "");
}
