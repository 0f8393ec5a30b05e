/**
 * The words of former versions of a file that its present text no longer has. Comments do not count, because a
 * declaration is often only commented out.
 */
export function formerWords(former: readonly string[], present: readonly string[]): ReadonlySet<string> {
  const now = wordsOf(present);
  return new Set([...wordsOf(former)].filter((word) => !now.has(word)));
}

function wordsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.replaceAll(COMMENT, " ").match(/[A-Za-z_]\w*/g) ?? []));
}

/** `//` behind a colon is part of a URL. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`\\])\/\/[^\n]*|^\s*#[^\n]*/gm;
