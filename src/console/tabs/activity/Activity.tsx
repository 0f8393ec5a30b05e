import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { useConsole, type Console } from "../../console.ts";
import type { AuditListResponse } from "../../../core/api/bodies.ts";
import type { EventsResponse, FleetEventsResponse } from "../../../core/api/events.ts";
import { toProblem, type Problem } from "../../data/request-error.ts";
import { formatTime } from "../../data/format.ts";
import { textPart } from "../../state/address.ts";
import { Button } from "../../ui/Button.tsx";
import { Check, FilterField, Select, bound } from "../../ui/Field.tsx";
import { CodeLine } from "../../ui/Copy.tsx";
import { EmptyState, TabHead } from "../../ui/Card.tsx";
import { StatusLine, StatusRegion, RequestProblem } from "../../ui/Problem.tsx";
import { useRequest, type RequestState } from "../../ui/use-request.ts";
import { Days, type DaysProps } from "./Days.tsx";
import { foldEvents, matchesRow, rowsOf, filters, type RowFilter } from "./rows.ts";

const LIMIT = 1000;
const ALL = "all";
const DAY_MS = 86_400_000;
const SPAN_MS = 7 * DAY_MS;

function listOf(page: Console) {
  return page.getOrCreate("activity", () => {
    const list = {
      filter: signal(""),
      show: signal<string>("all"),
      nodes: signal(""),
    };
    const tab = "activity";
    page.router.keep(
      textPart({ name: "find", tab }, list.filter),
      textPart({ name: "nodes", tab }, list.nodes, { accepts: (value) => value === ALL }),
      textPart({ name: "show", tab }, list.show, {
        fallback: "all",
        accepts: (value) => Object.hasOwn(filters, value),
      }),
    );
    return list;
  });
}

export function Activity(): JSX.Element {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { filter, show, nodes } = listOf(useConsole());
  const isFleet = hasNodes() && nodes.value === ALL;
  const { audit, events } = useActivity(isFleet);
  const { listed, older } = useListed(events.answer ?? events.last, isFleet);
  // An answer that is still to come may hold what happened. One that failed has its problem shown.
  const { events: recent, missing = [] } = listed ?? { events: events.problem && [] };
  const records = isFleet ? recent && [] : changesOf(audit);
  const problem = audit.problem ?? events.problem;
  const rows = useMemo(() => records && recent && rowsOf(records, recent), [records, recent]);
  const retry = (): void => [audit, events].forEach((one) => one.retry());
  return (
    <>
      <TabHead
        title="Activity"
        about={`Changes by svcm and what happened to the processes, and why. Values are never shown. Times are in ${timeZone}.`}
      >
        <Controls />
        <Button icon="restart" onClick={retry}>
          Refresh
        </Button>
      </TabHead>
      <RequestProblem problem={problem} retry={retry} />
      <Missing missing={missing} />
      {listed && <Reach events={listed} changes={records} />}
      <Reading until={[rows, problem]} />
      {rows && (
        <Rows
          rows={rows}
          visible={foldEvents(rows.filter((row) => matchesRow(row, show.value as RowFilter, filter.value)))}
          isFleet={isFleet}
          since={wholeSince(events.problem, listed, older)}
        />
      )}
      {older && <Since older={older} />}
    </>
  );
}

/** `undefined` if a part of the list is missing. */
function wholeSince(
  problem: Problem | undefined,
  listed: (EventsResponse & Partial<FleetEventsResponse>) | undefined,
  older: { readonly since: number } | undefined,
): number | undefined {
  const isWhole = problem === undefined && listed?.complete === true && (listed.missing ?? []).length === 0;
  return isWhole ? (older?.since ?? Date.now() - SPAN_MS) : undefined;
}

function Reading({ until }: { until: readonly unknown[] }): JSX.Element | null {
  return until.some(Boolean) ? null : <StatusLine tone="info">Reading what happened…</StatusLine>;
}

function changesOf({ answer, last }: RequestState<AuditListResponse>): AuditListResponse["records"] | undefined {
  return (answer ?? last)?.records;
}

function hasNodes(): boolean {
  const { facts, router } = useConsole();
  return facts.nodes.length > 0 && router.node === "";
}

function useActivity(isFleet: boolean) {
  const { api } = useConsole();
  const limit = `${LIMIT}`;
  const audit = useRequest(isFleet ? undefined : (aborted) => api.audit(limit, aborted), [isFleet]);
  const events = useRequest<EventsResponse & Partial<FleetEventsResponse>>(
    (aborted) => api[isFleet ? "fleetEvents" : "events"]({ since: `${Date.now() - SPAN_MS}`, limit }, aborted),
    [isFleet],
  );
  return { audit, events };
}

function Controls(): JSX.Element {
  const { filter, show, nodes } = listOf(useConsole());
  return (
    <>
      <Select
        label="Show"
        options={Object.entries(filters).map(([value, label]) => ({ value, label }))}
        {...bound(show)}
      />
      <FilterField label="Filter the records" placeholder="Filter" text={filter} />
      {hasNodes() && (
        <Check checked={nodes.value === ALL} onChange={(isChecked) => void (nodes.value = isChecked ? ALL : "")}>
          All nodes
        </Check>
      )}
    </>
  );
}

/** The first answer with the older events, which one machine has. */
function useListed<Answer extends EventsResponse>(first: Answer | undefined, isFleet: boolean) {
  const older = useOlder(isFleet ? undefined : first);
  const listed = useMemo(
    () => first && { ...first, ...older.last, events: [...first.events, ...older.events] },
    [first, older.events],
  );
  return { listed, older: first === undefined || isFleet ? undefined : older };
}

/** The events before those of the first answer: its further pages, then the week before, as often as the user asks. */
function useOlder(first: EventsResponse | undefined) {
  const { api } = useConsole();
  const pages = useSignal<readonly EventsResponse[]>([]);
  const since = useSignal(Date.now() - SPAN_MS);
  const problem = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    pages.value = [];
    since.value = Date.now() - SPAN_MS;
  }, [first]);
  const last = pages.value.at(-1);
  const read = async (): Promise<void> => {
    const next = (last ?? first)?.next;
    const from = typeof next === "string" ? since.value : since.value - SPAN_MS;
    const place: Readonly<Record<string, string>> =
      typeof next === "string" ? { cursor: next } : { until: `${since.value - 1}` };
    try {
      const page = await api.events({ since: `${from}`, limit: `${LIMIT}`, ...place });
      pages.value = [...pages.value, page];
      since.value = from;
      problem.value = undefined;
    } catch (error) {
      problem.value = toProblem(error);
    }
  };
  const events = useMemo(() => pages.value.flatMap((page) => page.events), [pages.value]);
  return { events, last, problem: problem.value, since: since.value, read: () => void read() };
}

function Since({ older: { since, problem, read } }: { older: ReturnType<typeof useOlder> }): JSX.Element {
  return (
    <>
      <RequestProblem problem={problem} retry={read} />
      <p class="reach">
        Events since {formatTime(since)}. <Button onClick={read}>Older</Button>
      </p>
    </>
  );
}

interface ReachProps {
  readonly events: EventsResponse;
  readonly changes: AuditListResponse["records"] | undefined;
}

/** Says from when on the list is not whole. */
function Reach({ events: { events, next, complete }, changes = [] }: ReachProps): JSX.Element | null {
  const oldest = next === null ? undefined : events.at(-1);
  const oldestChange = changes.length === LIMIT ? changes.at(-1) : undefined;
  if (oldest === undefined && oldestChange === undefined && complete) return null;
  return (
    <p class="reach">
      {oldest && `Events before ${formatTime(oldest.at)} are not listed, because there are too many. `}
      {oldestChange && `Changes before ${formatTime(oldestChange.timestamp)} are not listed. `}
      {!complete && "Part of PM2's log was not read, so older events may be missing."}
    </p>
  );
}

function Missing({ missing }: Pick<FleetEventsResponse, "missing">): JSX.Element {
  const names = missing.map(({ node, state }) => `${node} (${state})`).join(", ");
  return (
    <StatusRegion>
      {names !== "" && <StatusLine tone="warning">Missing: the newest events of {names}.</StatusLine>}
    </StatusRegion>
  );
}

interface RowsProps extends DaysProps {
  readonly rows: readonly unknown[];
  /** Since when the list is whole; `undefined` if a part of it is missing. */
  readonly since: number | undefined;
}

function Rows({ rows, since, ...shown }: RowsProps): JSX.Element | null {
  if (shown.visible.length > 0) return <Days {...shown} />;
  if (rows.length > 0) return <EmptyState icon="search" title="No record matches" />;
  if (since === undefined) return null;
  const days = Math.round((Date.now() - since) / DAY_MS);
  return (
    <EmptyState icon="history" title={`Nothing has happened in the last ${days} days`}>
      <CodeLine text="svcm events" what="the command" />
    </EmptyState>
  );
}
