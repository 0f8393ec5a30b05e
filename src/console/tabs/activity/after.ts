import type { EventsResponse, SvcmEvent } from "../../../core/api/events.ts";
import type { AuditRecord } from "../../../core/api/audit-record.ts";
import { AUDITED_KINDS, eventKey } from "../../data/events.ts";

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
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await read({ ...span, limit: `${PAGE_SIZE}`, ...(cursor !== undefined && { cursor }) });
    events.push(...page.events);
    const isLast = page.next === null;
    if (isLast || pages === MAX_PAGES) return { events, isCut: !isLast, isComplete: page.complete };
    cursor = page.next ?? undefined;
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
