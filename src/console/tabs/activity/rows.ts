import { eventText } from "../../../core/events/event-text.ts";
import type { AuditRecord } from "../../../core/api/audit-record.ts";
import type { SvcmEvent, EventsResponse } from "../../../core/api/events.ts";
import { formatTime } from "../../data/format.ts";
import { AUDITED_KINDS, eventKey, isFailure } from "../../data/events.ts";

export type ActivityRow = {
  readonly key: string;
  readonly ms: number;
  readonly timestamp: string;
  /** In the time zone of the browser. */
  readonly when: string;
  /** Every word that the row shows, and the names of its action and its app, for the filter. */
  readonly text: string;
} & (
  | { readonly kind: "change"; readonly record: AuditRecord; readonly words: RecordTexts }
  | {
      readonly kind: "event";
      readonly event: SvcmEvent;
      /** Equal events, of which this is the newest. */
      readonly count?: number;
      /** The time of the oldest one. */
      readonly since?: string;
    }
);

export const filters = {
  all: "changes and events",
  changes: "changes",
  ends: "ends of processes",
  failures: "unexpected ends",
} as const;
export type RowFilter = keyof typeof filters;

const END_KINDS: ReadonlySet<string> = new Set(["exit", "stop", "restart", "delete"]);

export function rowsOf(records: readonly AuditRecord[], events: readonly SvcmEvent[]): ActivityRow[] {
  const changes = records.map((record): ActivityRow => {
    const words = toTexts(record);
    const times = timesOf(`change ${record.id}`, record.timestamp);
    const text = [times.when, record.action, ...Object.values(words).flat()].join(" ");
    return { ...times, kind: "change", record, words, text };
  });
  // The page shows the audit log of one machine, so records of other nodes come from events.
  const others = events.filter(({ kind, node }) => node !== undefined || !AUDITED_KINDS.has(kind));
  const fromEvents = others.map((event, index): ActivityRow => {
    const { app, actor = "", evidence, kind, cause, node = "" } = event;
    const times = timesOf(`event ${event.at} ${others.length - index}`, event.at);
    const text = [times.when, node, app, kind, cause, actor, eventText(event), ...evidence].join(" ");
    return { ...times, kind: "event", event, text };
  });
  return [...changes, ...fromEvents].toSorted((a, b) => b.ms - a.ms);
}

function timesOf(key: string, timestamp: string): Pick<ActivityRow, "key" | "ms" | "timestamp" | "when"> {
  return { key, ms: Date.parse(timestamp), timestamp, when: formatTime(timestamp) };
}

export function matchesRow(row: ActivityRow, show: RowFilter, filter: string): boolean {
  if (show === "changes" && row.kind !== "change") return false;
  if (show === "ends" && !(row.kind === "event" && END_KINDS.has(row.event.kind))) return false;
  if (show === "failures" && !(row.kind === "event" && isFailure(row.event))) return false;
  const text = row.text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export interface Day {
  /** `2026-11-22`, in the time zone of the browser. */
  readonly name: string;
  readonly rows: readonly ActivityRow[];
}

export function groupByDay(rows: readonly ActivityRow[]): Day[] {
  const days = new Map<string, ActivityRow[]>();
  for (const row of rows) {
    const name = row.when.slice(0, 10);
    days.set(name, [...(days.get(name) ?? []), row]);
  }
  return [...days].map(([name, of]) => ({ name, rows: of }));
}

/** Folds equal events of a day that no change lies between. */
export function foldEvents(rows: readonly ActivityRow[]): ActivityRow[] {
  const folded: ActivityRow[] = [];
  const places = new Map<string, number>();
  for (const row of rows) {
    if (row.kind === "change") places.clear();
    const key = row.kind === "event" ? `${row.when.slice(0, 10)} ${eventKey(row.event)}` : "";
    const at = places.get(key);
    const newest = at === undefined ? undefined : folded[at];
    if (row.kind === "event" && newest?.kind === "event" && at !== undefined)
      folded[at] = { ...newest, count: (newest.count ?? 1) + 1, since: row.when };
    else {
      if (row.kind === "event") places.set(key, folded.length);
      folded.push(row);
    }
  }
  return folded;
}

interface RecordTexts {
  /** `Environment: write` for `env.write`, and `Keys: set tier` for `keys.set-tier`. */
  readonly action: string;
  readonly environment: string;
  readonly subjects: readonly string[];
  readonly keys: readonly string[];
  readonly by: string;
  readonly outcome: AuditRecord["outcome"];
  readonly code: string;
  readonly times: string;
}

function actionText(action: string): string {
  const words = action
    .replace("-", " ")
    .replace(/\.(?!.*\.)/, ": ")
    .replace(".", " ")
    .replace("env", "environment");
  return words.replace(/^(mcp|nats|.)/, (start) => start.toUpperCase());
}

function toTexts(record: AuditRecord): RecordTexts {
  const { action, environment = "", service, keys = [], processes = [], target, outcome } = record;
  const { actor, source, address, node, code = "", count = 1 } = record;
  const named = processes.map(({ name, pmId }) => (pmId === null ? name : `${name} (id ${pmId})`));
  return {
    action: actionText(action),
    environment: [service, environment].filter(Boolean).join(", "),
    subjects: [target ?? [], ...named].flat(),
    keys,
    by: [actor, source, address, node].filter(Boolean).join(", "),
    outcome,
    code,
    times: count > 1 ? `${count} times` : "",
  };
}

/** An event within this time may follow from a change. */
const AFTER_MS = 15 * 60_000;
/** An event's time has no fraction of a second. */
const SECOND_MS = 1_000;
const PAGE_SIZE = 1000;
const MAX_PAGES = 5;

export interface After {
  readonly until: number;
  /** Equal events once, the first ones first. */
  readonly onRequest: readonly Repeated[];
  readonly byItself: readonly Repeated[];
  /** Set if there are too many: the time of the oldest event in the lists. */
  readonly cutAt: string | undefined;
  readonly isComplete: boolean;
  /** True if everything was read, and nothing is in the lists. */
  readonly isNothing: boolean;
}

/** Equal events of any number. */
export interface Repeated {
  /** The last one. */
  readonly event: SvcmEvent;
  /** The time of the first one. */
  readonly from: string;
  readonly count: number;
}

type ReadEvents = (query: Readonly<Record<string, string>>) => Promise<EventsResponse>;

/** Asks the server for the time after the change, because the list of the page may end before it. */
export async function readAfter(record: AuditRecord, now: number, read: ReadEvents): Promise<After> {
  const endMs = Date.parse(record.timestamp);
  const until = endMs + AFTER_MS;
  const since = Math.max(0, endMs - (record.ms ?? 0) - SECOND_MS);
  const { events, isCut, isComplete } = await readPages({ since: `${since}`, until: `${until}` }, read);
  const names = new Set(record.processes?.map(({ name }) => name));
  const others = events.filter(
    ({ app, auditId, kind }) =>
      (names.size === 0 || app === null || names.has(app)) && !(auditId === record.id && AUDITED_KINDS.has(kind)),
  );
  return {
    isNothing: others.length === 0 && isComplete && !isCut,
    until: Math.min(until, now),
    onRequest: repeated(others.filter(isRequested)),
    byItself: repeated(others.filter((event) => !isRequested(event))),
    cutAt: isCut ? events.at(-1)?.at : undefined,
    isComplete,
  };
}

async function readPages(span: Readonly<Record<"since" | "until", string>>, read: ReadEvents) {
  const events: SvcmEvent[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page = await read({ ...span, limit: `${PAGE_SIZE}`, ...(cursor !== null && { cursor }) });
    events.push(...page.events);
    cursor = page.next;
    if (cursor === null || pages === MAX_PAGES) return { events, isCut: cursor !== null, isComplete: page.complete };
  }
}

const REQUESTS: ReadonlySet<string> = new Set(["svcm", "pm2-cli"]);

function isRequested({ actor, kind, cause }: SvcmEvent): boolean {
  return actor !== undefined || AUDITED_KINDS.has(kind) || REQUESTS.has(cause);
}

/** @param events newest first */
function repeated(events: readonly SvcmEvent[]): Repeated[] {
  const groups = new Map<string, SvcmEvent[]>();
  for (const event of events) {
    const key = eventKey(event);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return [...groups.values()]
    .flatMap(([newest, ...older]) =>
      newest === undefined ? [] : [{ event: newest, from: older.at(-1)?.at ?? newest.at, count: older.length + 1 }],
    )
    .toSorted((a, b) => a.from.localeCompare(b.from));
}
