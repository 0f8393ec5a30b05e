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
import { useAnswer } from "../../ui/use-request.ts";
import { Days, type DaysProps } from "./Days.tsx";
import { isShown, rowsOf, shows, type Show } from "./rows.ts";

const LIMITS = ["50", "200", "1000"] as const;
const ALL = "all";
const SPAN_MS = 7 * 86_400_000;

function listOf(page: Console) {
  return page.kept("activity", () => {
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
        accepts: (value) => Object.hasOwn(shows, value),
      }),
    );
    return list;
  });
}

export function Activity(): JSX.Element {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { limit, filter, show, nodes } = listOf(useConsole());
  const isFleet = useNodes() && nodes.value === ALL;
  const { audit, events } = useHappened(limit.value, isFleet);
  const { events: happened, missing = [] } = events.answer ?? events.last ?? {};
  const { records } = isFleet ? { records: happened && [] } : (audit.answer ?? audit.last ?? {});
  const rows = useMemo(() => records && rowsOf(records, happened ?? []), [records, happened]);
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
          shown={rows.filter((row) => isShown(row, show.value as Show, filter.value))}
          isFleet={isFleet}
        />
      )}
    </>
  );
}

function useNodes(): boolean {
  const { facts, router } = useConsole();
  return facts.nodes.length > 0 && router.node === "";
}

function useHappened(limit: string, isFleet: boolean) {
  const { api } = useConsole();
  const audit = useAnswer(isFleet ? undefined : (aborted) => api.audit(limit, aborted), [limit, isFleet]);
  const events = useAnswer<EventsResponse & Partial<FleetEventsResponse>>(
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
        options={Object.entries(shows).map(([value, label]) => ({ value, label }))}
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
      {useNodes() && (
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

function Rows({ rows, shown, isFleet }: DaysProps): JSX.Element {
  if (shown.length > 0) return <Days rows={rows} shown={shown} isFleet={isFleet} />;
  if (rows.length > 0) return <EmptyState icon="search" title="No record matches" />;
  return (
    <EmptyState icon="history" title="Nothing has happened yet">
      <CodeLine text="svcm events" what="the command" />
    </EmptyState>
  );
}
