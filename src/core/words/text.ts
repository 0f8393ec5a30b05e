/** `1 process`, `2 processes` */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a, b, c and 2 more` */
export function nameList(names: readonly string[], max = 6): string {
  return [names.slice(0, max).join(", "), ...andMore(names.length - max)].join(" ");
}

/** Nothing unless items are left out. */
export function andMore(count: number): string[] {
  return count > 0 ? [`and ${count} more`] : [];
}

/** A text beyond the limit ends with an ellipsis. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

export function shellQuote(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Relative paths of the file begin in the folder of the call. */
export function inFolder(cwd: string | undefined, command: string): string {
  return cwd === undefined || command === "" ? command : `cd ${shellQuote(cwd)} && ${command}`;
}
