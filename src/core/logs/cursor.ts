/** Everything before `offset`, and everything in the older files of the same log. */
export interface LogPosition {
  readonly log: string;
  /** The file may be renamed. */
  readonly inode: number;
  readonly offset: number;
  /** Of the log itself: the number of its last cut. */
  readonly cuts?: number | undefined;
}

export type Sign = (text: string) => string;

/** @param sign returns a text of `[\w-]` that only the holder of its key can produce */
export function formatCursor(positions: readonly LogPosition[], sign: Sign): string {
  const text = positions
    .map(({ log, inode, offset, cuts }) =>
      [log, ...[inode, offset, cuts].flatMap((one) => one?.toString(36) ?? [])].join("-"),
    )
    .join("_");
  return `${sign(text)}_${text}`;
}

/** `undefined` if `sign` did not sign the text. */
export function parseCursor(cursor: string, sign: Sign): LogPosition[] | undefined {
  const at = cursor.indexOf("_");
  const text = cursor.slice(at + 1);
  if (at === -1 || cursor.slice(0, at) !== sign(text)) return undefined;
  if (text === "") return [];
  return text.split("_").map((position) => {
    const [log = "", inode = "", offset = "", cuts] = position.split("-");
    const place = { log, inode: Number.parseInt(inode, 36), offset: Number.parseInt(offset, 36) };
    return cuts === undefined ? place : { ...place, cuts: Number.parseInt(cuts, 36) };
  });
}
