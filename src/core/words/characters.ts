/** Control, zero-width and direction characters, line separators, and lone surrogates. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export function findHidden(text: string): string[] {
  return [...new Set(text.match(new RegExp(HIDDEN, "gu")))].map(codePoint);
}

export function escapeHidden(text: string): string {
  return text.replaceAll(new RegExp(HIDDEN, "gu"), (character) => `\\u${hex(character)}`);
}

export function findOuterSpaces(text: string): string | undefined {
  const inner = text.trim();
  if (inner === text) return undefined;
  const start = text.indexOf(inner);
  const around = text.slice(0, start) + text.slice(start + inner.length);
  return [...new Set(inner === "" ? text : around)].slice(0, 5).map(codePoint).join(", ");
}

function codePoint(character: string): string {
  return `U+${hex(character).toUpperCase()}`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
}
