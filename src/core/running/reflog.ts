/** `logs/HEAD` of a Git repository: where HEAD was, and when. */
export interface HeadMove {
  readonly from: string;
  readonly to: string;
  /** With the resolution of a second. */
  readonly atMs: number;
  /** It also drops what is uncommitted, as `git stash` and `git reset --hard` do. */
  readonly isReset: boolean;
}

export interface HeadAtStart {
  /** `null` if the log begins later. */
  readonly commit: string | null;
  /** HEAD moved in the second of the start, so it may have been one of these, too. */
  readonly others: readonly string[];
  /** In later seconds. */
  readonly later: readonly HeadMove[];
}

const LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/;
const NONE = /^0+$/;

export function parseReflog(text: string): HeadMove[] {
  return text.split("\n").flatMap((line) => {
    const [, from = "", to = "", seconds, message = ""] = LINE.exec(line) ?? [];
    if (seconds === undefined) return [];
    return [{ from, to, atMs: Number(seconds) * 1000, isReset: from === to || message.startsWith("reset:") }];
  });
}

/** A commit and a start often share a second. */
export function findHeadAt(moves: readonly HeadMove[], startMs: number): HeadAtStart {
  const second = Math.floor(startMs / 1000) * 1000;
  const before = moves.filter(({ atMs }) => atMs < second);
  const within = moves.filter(({ atMs }) => atMs === second);
  const later = moves.filter(({ atMs }) => atMs > second);
  const former = before.at(-1)?.to ?? within[0]?.from ?? later[0]?.from;
  const candidates = [former, ...within.flatMap(({ from, to }) => [from, to])].filter(
    (commit) => commit !== undefined && !NONE.test(commit),
  ) as string[];
  const commit = candidates.at(-1) ?? null;
  return { commit, others: [...new Set(candidates)].filter((one) => one !== commit), later };
}
