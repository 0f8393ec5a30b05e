import type { LogLine } from "../../../client/index.ts";
import { computed, signal } from "@preact/signals";
import { logLevels } from "../../../core/api/names.ts";
import type { Console } from "../../console.ts";
import { textPart } from "../../state/address.ts";
import { monitorOf } from "../monitoring/monitor.ts";

/** A line, and the number of lines of its stack, which are shown on request. */
export interface LogRow {
  readonly line: LogLine;
  stack: number;
}

export function keyOf({ app, file, offset }: LogLine): string {
  return `${app} ${file} ${offset}`;
}

const STACK = /^\s+(?:at |\.\.\. \d+ )/;

/**
 * Runs for all lines whenever some arrive, as do the functions below.
 *
 * @param open the keys of the lines whose stack is shown
 */
export function foldStacks(lines: readonly LogLine[], open: ReadonlySet<string>): LogRow[] {
  const rows: LogRow[] = [];
  let head: LogRow | undefined;
  for (const line of lines) {
    const isStack = head?.line.app === line.app && STACK.test(line.text);
    if (isStack && head) head.stack += 1;
    if (isStack && head && !open.has(keyOf(head.line))) continue;
    const row = { line, stack: 0 };
    if (!isStack) head = row;
    rows.push(row);
  }
  return rows;
}

/** Beside others whose lines have one. */
export function appsWithoutTimes(lines: readonly LogLine[]): string[] {
  const dated = new Set<string>();
  const others = new Set<string>();
  for (const { app, at } of lines) (at === null ? others : dated).add(app);
  return dated.size === 0 ? [] : [...others].filter((app) => !dated.has(app));
}

const BINS = 40;

export interface Bin {
  readonly at: string;
  readonly errors: number;
}

export function isError({ level, stream }: LogLine): boolean {
  return level === null ? stream === "err" : level === "error" || level === "fatal";
}

/** The errors of these lines over their time, in parts of equal length; empty without a time. Lines are in the order of their times. */
export function countErrors(lines: readonly LogLine[]): Bin[] {
  const from = timeOf(lines.find(({ at }) => at !== null));
  const to = timeOf(lines.findLast(({ at }) => at !== null));
  if (!(to > from)) return [];
  const counts = Array.from({ length: BINS }, () => 0);
  const length = (to - from) / BINS;
  for (const line of lines) {
    if (line.at === null || !isError(line)) continue;
    const bin = Math.max(0, Math.min(BINS - 1, Math.floor((timeOf(line) - from) / length)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((errors, bin) => ({ at: new Date(from + bin * length).toISOString(), errors }));
}

function timeOf(line: LogLine | undefined): number {
  return Date.parse(line?.at ?? "");
}

/** The text in parts, of which every second one is a hit. */
export function splitHits(text: string, search: string): string[] {
  if (search === "") return [text];
  const parts: string[] = [];
  const [low, word] = [text.toLowerCase(), search.toLowerCase()];
  let from = 0;
  for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + word.length));
    from = at + word.length;
  }
  return [...parts, text.slice(from)];
}

const tab = "logs";

/** The choice of the view. Everything but the wrap is in the address. */
export function logsOf(page: Console) {
  return page.getOrCreate(tab, () => {
    const names = signal("");
    const state = {
      apps: computed(() => names.value.split(",").filter(Boolean)),
      choose: (apps: readonly string[]): void => void (names.value = apps.join(",")),
      search: signal(""),
      level: signal(""),
      /** The moment that the lines are around; empty for the newest ones. */
      at: signal(""),
      isWrapped: signal(page.preferences.get("logs.wrap") === "on"),
      known: computed(() => {
        const processes = monitorOf(page).feed.newest.value?.metrics?.processes ?? [];
        return [...new Set(processes.map(({ name }) => name))].toSorted();
      }),
    };
    page.router.keep(
      textPart({ name: "apps", tab }, names),
      textPart({ name: "q", tab }, state.search),
      textPart({ name: "level", tab }, state.level, { accepts: (value) => logLevels.some((name) => name === value) }),
      textPart({ name: "at", tab }, state.at, { accepts: (value) => !Number.isNaN(Date.parse(value)) }),
    );
    return state;
  });
}
