import { setImmediate as pause } from "node:timers/promises";
import type { LogProblem } from "../../../api/logs.ts";
import { formatCursor, parseCursor, type LogPosition, type Sign } from "../../log-line.ts";
import { lineSize } from "../../line.ts";
import { createMatcher, type Matcher } from "../../match.ts";
import type { LogFilter, LogQuery } from "../../port-logs.ts";
import { type OutputLine, LogFailure, type Call, type Page } from "../protocol.ts";
import { findDeletedLog, type DiscardedLog, type ProcessList, selectTargets, type Target } from "./process-list.ts";
import { createCandidateFinder } from "./candidates.ts";
import { type MatchedLine, Source } from "./source.ts";

const DEFAULT_LIMIT = 100;
/** A cursor holds an offset for each file, and a header holds 8 KiB. */
const BOUNDS = { bytes: 256 * 2 ** 20, ms: 1000, textBytes: 4 * 2 ** 20, files: 200 };
const SLICE_MS = 10;
/** A log whose head is cut off during a read is read again. */
const MAX_TRIES = 5;

export interface ReadContext {
  readonly processList: ProcessList;
  readonly sign: Sign;
}

type Read = Pick<Extract<Call, { method: "read" }>, "query" | "upTo" | "isDown">;

export async function readLogs({ processList, sign }: ReadContext, call: Read): Promise<Page<OutputLine>> {
  const { query, upTo } = call;
  const { limit = DEFAULT_LIMIT, before, after } = query;
  const { requested, former, targets } = await findTargets(processList, call);
  const from = upTo ?? (before === undefined ? undefined : requireCursor(before, sign));
  const floor = after === undefined ? [] : requireCursor(after, sign);
  const read = async () => {
    const sources = openSources(targets, { from, floor }, { processList, query });
    const merge = new MergedRead(sources, query.isBounded === true);
    return { sources, merge, lines: await merge.newest(limit) };
  };
  const { sources, merge, lines } = await untilUncut(read);
  const older = merge.places();
  const newer = sources.flatMap(({ newest }) => newest ?? []);
  return {
    lines: lines.toReversed(),
    older: older.length === 0 ? null : formatCursor(older, sign),
    newer: newer.length === 0 ? null : formatCursor(newer, sign),
    scannedBytes: sources.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
    truncated: merge.isCut,
    problems: [
      ...sources.flatMap(({ problem }) => problem ?? []),
      ...formerProblems(former, call),
      ...targets.flatMap((target) => findDeletedLog(target, processList.pids) ?? []),
      ...processList.discarded.filter((one) => isTold(one, requested, query.stream, targets)).map(discardedProblem),
    ],
  };
}

async function findTargets(
  processList: ProcessList,
  { query, isDown = false }: Read,
): Promise<{ readonly requested: readonly string[]; readonly former: Target[]; readonly targets: Target[] }> {
  if (!isDown) await processList.refresh();
  const { app, apps = [] } = query;
  const requested = app === undefined ? apps : [...apps, app];
  const former = processList.formerTargets(isDown && requested.length === 0 ? processList.savedNames() : requested);
  if (isDown && former.length === 0 && processList.targets.length === 0) throw notRunningError(processList.home);
  const names = new Set([...processList.names, ...former.map((one) => one.app)]);
  const targets = selectTargets([...processList.targets, ...former], names, query);
  if (query.isBounded && targets.length > BOUNDS.files) throw tooManyError(targets.length);
  return { requested, former, targets };
}

async function untilUncut<T extends { readonly sources: readonly Source[] }>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const answer = await read();
    if (tries >= MAX_TRIES || !answer.sources.some((source) => source.wasCut())) return answer;
  }
}

/** Of the apps that the request does not name, only those that are silent. */
function isTold(
  one: DiscardedLog,
  requested: readonly string[],
  stream: LogQuery["stream"],
  targets: readonly Target[],
): boolean {
  if (stream !== undefined && one.stream !== stream) return false;
  return requested.length > 0 ? requested.includes(one.app) : targets.every(({ app }) => app !== one.app);
}

function discardedProblem({ app, stream, isDisabled }: DiscardedLog): LogProblem {
  const reason = isDisabled
    ? "it has disable_logs"
    : `its ${stream === "out" ? "out_file" : "error_file"} is /dev/null`;
  const details = `PM2 keeps no ${stream === "out" ? "output" : "errors"} of ${app}: ${reason}.`;
  return { app, stream, code: "LOG_DISCARDED", details };
}

function formerProblems(former: readonly Target[], { query: { stream }, isDown = false }: Read): LogProblem[] {
  const first = former.find((one) => stream === undefined || one.stream === stream);
  return first === undefined ? [] : [formerProblem(first, isDown)];
}

function formerProblem({ app, stream }: Target, isDown: boolean): LogProblem {
  const reason = isDown
    ? "No PM2 daemon runs, so these are the files that its apps"
    : `PM2 no longer lists ${app}. These are the files that it`;
  const details = `${reason} left. A secret that only this app had, and that PM2's saved list does not have, is not known, and so not hidden.`;
  return { app, stream, code: "LOG_APP_DELETED", details };
}

function openSources(
  targets: readonly Target[],
  { from, floor }: { readonly from: readonly LogPosition[] | undefined; readonly floor: readonly LogPosition[] },
  { processList, query }: { readonly processList: ProcessList; readonly query: LogQuery },
): Source[] {
  const { since = 0, until = Number.POSITIVE_INFINITY, context = 0, level } = query;
  const options = {
    since,
    until,
    context,
    level,
    matches: requireMatcher(query),
    findCandidates: createCandidateFinder(query, query.readsFiles === true ? () => [] : processList.findSecretLines),
    scrub: processList.scrub,
  };
  return targets.flatMap((target) => {
    const start = from && findPlace(from, target);
    if (from !== undefined && start === undefined) return [];
    return [new Source(target, options, start, findPlace(floor, target))];
  });
}

function findPlace(places: readonly LogPosition[], { log }: Target): LogPosition | undefined {
  return places.find((place) => place.log === log);
}

/** @throws {LogFailure} LOG_PATTERN_INVALID */
export function requireMatcher(filter: Pick<LogFilter, "grep" | "regexp" | "ignoreCase">): Matcher {
  try {
    return createMatcher(filter);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw new LogFailure(
      "INVALID_REQUEST",
      "LOG_PATTERN_INVALID",
      `${reason}. Accepted: a regular expression of JavaScript.`,
    );
  }
}

function requireCursor(cursor: string, sign: Sign): LogPosition[] {
  const places = parseCursor(cursor, sign);
  if (places !== undefined) return places;
  const details = "The cursor is wrong, or was made before this server started. Read again without it.";
  throw new LogFailure("INVALID_REQUEST", "LOG_CURSOR_STALE", details);
}

function notRunningError(home: string): LogFailure {
  const details = `No PM2 daemon runs, and ${home} has no log of a requested app.`;
  return new LogFailure("PM2_FAILED", "PM2_NOT_RUNNING", details);
}

function tooManyError(count: number): LogFailure {
  const details = `The processes have ${count} log files. Accepted: ${BOUNDS.files} at once. Name a process.`;
  return new LogFailure("INVALID_REQUEST", "LOG_TOO_MANY_FILES", details);
}

interface SourceHead {
  readonly source: Source;
  readonly lines: Generator<MatchedLine | undefined>;
  found: MatchedLine | undefined;
}

class MergedRead {
  isCut = false;
  readonly #heads: SourceHead[];
  readonly #isBounded: boolean;
  readonly #startedMs = performance.now();
  #pausedMs = performance.now();

  constructor(sources: readonly Source[], isBounded: boolean) {
    this.#heads = sources.map((source) => ({ source, lines: source.lines(), found: undefined }));
    this.#isBounded = isBounded;
  }

  async newest(limit: number): Promise<OutputLine[]> {
    const lines: OutputLine[] = [];
    let bytes = 0;
    try {
      for (const prefix of this.#heads) await this.#advance(prefix);
      while (!this.isCut && lines.length < limit) {
        const prefix = this.#newestHead();
        if (prefix?.found === undefined) break;
        const { line } = prefix.found;
        bytes += lineSize(line);
        if (this.#isBounded && bytes > BOUNDS.textBytes && lines.length > 0) this.isCut = true;
        if (this.isCut) break;
        lines.push(line);
        const pausing = this.#advance(prefix);
        if (pausing) await pausing;
      }
      return lines;
    } finally {
      for (const { lines: context } of this.#heads) context.return(undefined);
    }
  }

  places(): LogPosition[] {
    return this.#heads.flatMap(({ found, source }) => found?.after ?? source.place ?? []);
  }

  #newestHead(): SourceHead | undefined {
    let newest: SourceHead | undefined;
    for (const prefix of this.#heads)
      if (prefix.found && (newest?.found === undefined || prefix.found.orderMs > newest.found.orderMs)) newest = prefix;
    return newest;
  }

  /** A promise takes longer than a line, so there is one only for a pause. */
  #advance(prefix: SourceHead): Promise<void> | undefined {
    prefix.found = undefined;
    if (this.isCut) return undefined;
    const { done, value } = prefix.lines.next();
    if (!done && value === undefined) return this.#pauseIfDue().then(() => this.#advance(prefix));
    prefix.found = value;
    return undefined;
  }

  async #pauseIfDue(): Promise<void> {
    const now = performance.now();
    if (this.#isBounded) {
      const scanned = this.#heads.reduce((sum, { source }) => sum + source.scannedBytes, 0);
      if (scanned >= BOUNDS.bytes || now - this.#startedMs >= BOUNDS.ms) this.isCut = true;
    }
    if (now - this.#pausedMs < SLICE_MS) return;
    await pause();
    this.#pausedMs = performance.now();
  }
}
