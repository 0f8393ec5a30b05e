import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useConsole, type Console } from "../../console.ts";
import type { EventsResponse, FleetEventsResponse } from "../../../core/api/events.ts";
import { textPart } from "../../state/address.ts";
import { Button } from "../../ui/Button.tsx";
import { Check } from "../../ui/Check.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { FilterField } from "../../ui/FilterField.tsx";
import { Select } from "../../ui/Select.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { Days, type DaysProps } from "./Days.tsx";
import { matchesRow, rowsOf, filters, type RowFilter } from "./rows.ts";

const LIMITS = ["50", "200", "1000"] as const;
const ALL = "all";
const SPAN_MS = 7 * 86_400_000;

function listOf(page: Console) {
  return page.getOrCreate("activity", () => {
    const list = {
      limit: signal<string>(LIMITS[0]),
      filter: signal(""),
      show: signal<string>("all"),
      nodes: signal(""),
    };
    const accepts = (value: string): boolean => LIMITS.some((limit) => limit === value);
    const tab = "activity";
    page.router.keep(
      textPart({ name: "limit", tab }, list.limit, { fallback: LIMITS[0], accepts }),
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
  const { limit, filter, show, nodes } = listOf(useConsole());
  const isFleet = hasNodes() && nodes.value === ALL;
  const { audit, events } = useActivity(limit.value, isFleet);
  const { events: recent, missing = [] } = events.answer ?? events.last ?? {};
  const { records } = isFleet ? { records: recent && [] } : (audit.answer ?? audit.last ?? {});
  const rows = useMemo(() => records && rowsOf(records, recent ?? []), [records, recent]);
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
      <RequestProblem problem={audit.problem ?? events.problem} retry={retry} />
      <StatusRegion>{missing.length > 0 && <Missing missing={missing} />}</StatusRegion>
      {rows && (
        <Rows
          rows={rows}
          visible={rows.filter((row) => matchesRow(row, show.value as RowFilter, filter.value))}
          isFleet={isFleet}
        />
      )}
    </>
  );
}

function hasNodes(): boolean {
  const { facts, router } = useConsole();
  return facts.nodes.length > 0 && router.node === "";
}

function useActivity(limit: string, isFleet: boolean) {
  const { api } = useConsole();
  const audit = useRequest(isFleet ? undefined : (aborted) => api.audit(limit, aborted), [limit, isFleet]);
  const events = useRequest<EventsResponse & Partial<FleetEventsResponse>>(
    (aborted) => api[isFleet ? "fleetEvents" : "events"]({ since: `${Date.now() - SPAN_MS}`, limit }, aborted),
    [limit, isFleet],
  );
  return { audit, events };
}

function Controls(): JSX.Element {
  const { limit, filter, show, nodes } = listOf(useConsole());
  return (
    <>
      <Select
        label="Show"
        value={show.value}
        options={Object.entries(filters).map(([value, label]) => ({ value, label }))}
        onChange={(value) => void (show.value = value)}
      />
      <Select
        label="Records"
        value={limit.value}
        options={LIMITS.map((value) => ({ value, label: `newest ${value}` }))}
        onChange={(value) => void (limit.value = value)}
      />
      <FilterField
        label="Filter the records"
        placeholder="Filter"
        value={filter.value}
        onInput={(text) => void (filter.value = text)}
      />
      {hasNodes() && (
        <Check checked={nodes.value === ALL} onChange={(isChecked) => void (nodes.value = isChecked ? ALL : "")}>
          All nodes
        </Check>
      )}
    </>
  );
}

function Missing({ missing }: Pick<FleetEventsResponse, "missing">): JSX.Element {
  return (
    <StatusLine tone="warning">
      Missing: the newest events of {missing.map(({ node, state }) => `${node} (${state})`).join(", ")}.
    </StatusLine>
  );
}

function Rows({ rows, visible, isFleet }: DaysProps): JSX.Element {
  if (visible.length > 0) return <Days rows={rows} visible={visible} isFleet={isFleet} />;
  if (rows.length > 0) return <EmptyState icon="search" title="No record matches" />;
  return (
    <EmptyState icon="history" title="Nothing has happened yet">
      <CodeLine text="svcm events" what="the command" />
    </EmptyState>
  );
}
