/** The value in an ecosystem file and PM2's own form of it must have the same digest. */
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
