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
