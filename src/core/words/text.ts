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

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path outside of the root stays as it is. */
export function rootRelative(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

export function relativePath(folder: string, path: string): string {
  if (folder === "") return path;
  const [from, to] = [folder.split("/"), path === "." ? [] : path.split("/")];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common += 1;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}

/** `line` counts from 1 in the old text; `before` is empty for added lines. */
export interface LineChange {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function diffLines(line: number, before: readonly string[], after: readonly string[]): LineChange | undefined {
  const limit = Math.min(before.length, after.length);
  let head = 0;
  while (head < limit && before[head] === after[head]) head++;
  if (head === limit && before.length === after.length) return undefined;
  let tail = 0;
  while (tail < limit - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return {
    line: line + head,
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
}
