import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { Check, InlineSelect, bound, FilterField, RadioGroup } from "../../ui/Field.tsx";
import type { Monitor } from "./monitor.ts";
import { sortingOf, sortText } from "./address.ts";
import { statusOf, type ProcessStatus } from "./process-status.ts";

const statusLabels: Readonly<Record<ProcessStatus, string>> = {
  online: "Online",
  waiting: "Waiting",
  stopped: "Stopped",
  errored: "Errored",
  troubled: "Problem",
  other: "Changing",
};

/** For a screen without room for the heads of all columns. */
const orders = [
  { value: "status", label: "urgency" },
  { value: "name" },
  ...["cpu", "memory", "growth", "restarts", "uptime"].map((label) => ({ value: `-${label}`, label })),
];

export function TableTools({ monitor }: { monitor: Monitor }): JSX.Element {
  return (
    <div class="table-tools">
      <h2>Processes</h2>
      <StatusFilter monitor={monitor} />
      <InlineSelect
        class="sort-by"
        label="Sort by"
        value={sortText(monitor.order.sorting.value)}
        options={orders}
        onChange={(text) => monitor.order.choose(sortingOf(text))}
      />
      <More monitor={monitor} />
      <FilterField label="Filter the processes" placeholder="Name or PID" text={monitor.filter} />
    </div>
  );
}

function StatusFilter({ monitor: { feed, status } }: { monitor: Monitor }): JSX.Element | null {
  const processes = feed.displayed.value?.metrics?.processes;
  if (processes === undefined || processes.length === 0) return null;
  const counts = new Map<ProcessStatus, number>();
  for (const process of processes) counts.set(statusOf(process), (counts.get(statusOf(process)) ?? 0) + 1);
  const visible = (Object.keys(statusLabels) as ProcessStatus[]).filter(
    (name) => counts.has(name) || status.value === name,
  );
  const labels = visible.map((value) => ({
    value,
    label: (
      <>
        <i class={`dot ${value}`} aria-hidden="true" />
        {statusLabels[value]} <strong>{counts.get(value) ?? 0}</strong>
      </>
    ),
  }));
  const all = (
    <>
      All <strong>{processes.length}</strong>
    </>
  );
  return (
    <RadioGroup class="chips" label="Status" options={[{ value: "", label: all }, ...labels]} {...bound(status)} />
  );
}

function More({ monitor: { feed } }: { monitor: Monitor }): JSX.Element {
  const steps = feed.displayed.value?.metrics?.ecosystem.planSteps ?? 0;
  return (
    <span class="comparison">
      <PlanLink steps={steps} environment={feed.environment.value} />
      <Check
        checked={feed.asyncContext.value}
        onChange={(isChecked) => {
          feed.asyncContext.value = isChecked;
          feed.subscribe();
        }}
      >
        Async context
      </Check>
    </span>
  );
}

function PlanLink({ steps, environment }: { steps: number; environment: string }): JSX.Element | null {
  const { router } = useConsole();
  if (steps === 0) return null;
  return (
    <a class="badge warning" href={router.href("plan", ["environment", environment])}>
      Plan: {pluralize(steps, "step")}
    </a>
  );
}
