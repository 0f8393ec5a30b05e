/** Control, zero-width and direction marks, line separators, and halves of a character. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins there
export const ASCII = /^[\u0000-\u007F]*$/;

/** The hidden characters of a text, each once, as `U+200B`. */
export function hiddenIn(text: string): string[] {
  return [...new Set(text.match(new RegExp(HIDDEN, "gu")))].map(codePoint);
}

/** The same text with what is hidden in it written out, as `\u200b`. */
export function unhidden(text: string): string {
  return text.replaceAll(new RegExp(HIDDEN, "gu"), (character) => `\\u${hex(character)}`);
}

function codePoint(character: string): string {
  return `U+${hex(character).toUpperCase()}`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
}
