import type { LogLine } from "../../../client/index.ts";
import type { LogsResponse } from "../../../core/api/logs.ts";

/** Lines on each side of the moment. */
const COUNT = 250;
const AFTER_MS = 30_000;
const PAGE_SIZE = 1000;
const MAX_TRIES = 6;
const MIN_SPAN_MS = 100;
/** An event has no fraction of a second, so its second counts as the moment. */
const SECOND_MS = 1000;
const STREAMS = ["out", "err"] as const;

export interface Around {
  /** Up to the second of the moment. */
  readonly before: readonly LogLine[];
  readonly after: readonly LogLine[];
  /** The newest lines of a log without times, so they need not be of the moment. */
  readonly untimed: readonly LogLine[];
  /** False if lines between these may be missing. */
  readonly isWhole: boolean;
  readonly problems: LogsResponse["problems"];
}

type ReadLogs = (query: Readonly<Record<string, string>>) => Promise<LogsResponse>;

/** Asks for each stream alone, because lines without a time would displace the others. */
export async function readAround(apps: readonly string[], at: string, read: ReadLogs): Promise<Around> {
  const places = apps.flatMap((app) => STREAMS.map((stream) => ({ app, stream })));
  const parts = await Promise.all(places.map((of) => readStream(of, Date.parse(at), read)));
  const join = (side: "before" | "after" | "untimed"): LogLine[] =>
    parts.flatMap((part) => part[side]).toSorted((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
  return {
    before: join("before").slice(-COUNT),
    after: join("after").slice(0, COUNT),
    untimed: join("untimed"),
    isWhole: parts.every(({ isWhole }) => isWhole),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

async function readStream(of: Readonly<Record<string, string>>, momentMs: number, read: ReadLogs): Promise<Around> {
  const middle = momentMs % SECOND_MS === 0 ? momentMs + SECOND_MS - 1 : momentMs;
  const first = await read({ ...of, until: `${middle}`, limit: `${COUNT}` });
  const before = first.lines.filter(isTimed);
  const untimed = first.lines.filter((line) => !isTimed(line));
  const after = await readAfter(of, middle + 1, read);
  const isWhole = !(first.truncated && first.lines.length < COUNT) && after.isWhole;
  return { before, untimed, after: after.lines.filter(isTimed).slice(0, COUNT), isWhole, problems: first.problems };
}

/** The server has the newest lines of a span, so the span becomes shorter until these are all of it. */
async function readAfter(
  of: Readonly<Record<string, string>>,
  since: number,
  read: ReadLogs,
): Promise<{ readonly lines: readonly LogLine[]; readonly isWhole: boolean }> {
  let spanMs = AFTER_MS;
  for (let tries = 1; ; tries += 1) {
    const until = since + spanMs;
    const { lines, truncated } = await read({ ...of, since: `${since}`, until: `${until}`, limit: `${PAGE_SIZE}` });
    if (!truncated && lines.length < PAGE_SIZE) return { lines, isWhole: true };
    if (tries === MAX_TRIES || spanMs <= MIN_SPAN_MS || !lines.some(isTimed)) return { lines, isWhole: false };
    const covered = until - Date.parse(lines.find(isTimed)?.at ?? "");
    // Twice what is wanted, at the rate of the lines that came.
    spanMs = Math.ceil(Math.max(MIN_SPAN_MS, Math.min(spanMs / 2, (covered * 2 * COUNT) / lines.length)));
  }
}

function isTimed({ at }: LogLine): boolean {
  return at !== null;
}
