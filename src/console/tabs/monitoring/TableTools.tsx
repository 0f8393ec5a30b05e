import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { Check } from "../../ui/Check.tsx";
import { FilterField } from "../../ui/FilterField.tsx";
import type { Monitor } from "./monitor.ts";
import { statusOf, type ProcessStatus } from "./process-status.ts";

const words: Readonly<Record<ProcessStatus, string>> = {
  online: "Online",
  stopped: "Stopped",
  errored: "Errored",
  troubled: "Problem",
  other: "Changing",
};

export function TableTools({ monitor }: { monitor: Monitor }): JSX.Element {
  return (
    <div class="table-tools">
      <h2>Processes</h2>
      <StatusFilter monitor={monitor} />
      <Comparison monitor={monitor} />
      <FilterField
        label="Filter the processes"
        placeholder="Name or PID"
        value={monitor.filter.value}
        onInput={(text) => void (monitor.filter.value = text)}
      />
    </div>
  );
}

function StatusFilter({ monitor: { feed, status } }: { monitor: Monitor }): JSX.Element | null {
  const processes = feed.shown.value?.metrics?.processes;
  if (processes === undefined || processes.length === 0) return null;
  const counts = new Map<ProcessStatus, number>();
  for (const process of processes) counts.set(statusOf(process), (counts.get(statusOf(process)) ?? 0) + 1);
  const shown = (Object.keys(words) as ProcessStatus[]).filter((name) => counts.has(name) || status.value === name);
  return (
    <fieldset class="chips">
      <legend class="hidden">Status</legend>
      <Chip name="" label="All" count={processes.length} status={status} />
      {shown.map((name) => (
        <Chip key={name} name={name} label={words[name]} count={counts.get(name) ?? 0} status={status} />
      ))}
    </fieldset>
  );
}

function Chip(props: { name: string; label: string; count: number; status: Monitor["status"] }): JSX.Element {
  const { name, label, count, status } = props;
  return (
    <label class={name === status.value ? "chosen" : ""}>
      <input
        type="radio"
        name="status-filter"
        checked={name === status.value}
        onChange={() => void (status.value = name)}
      />
      {name !== "" && <i class={`dot ${name}`} aria-hidden="true" />}
      {label} <strong>{count}</strong>
    </label>
  );
}

function Comparison({ monitor }: { monitor: Monitor }): JSX.Element {
  const { feed } = monitor;
  const profiles = useConsole().facts.matrix.pm2Profiles;
  const chosen = feed.environment.value;
  // The chosen environment may be empty or have no PM2 profile.
  const options = profiles.includes(chosen) ? profiles : [chosen, ...profiles];
  return (
    <span class="comparison">
      <label>
        <span>Compare with</span>
        <select value={chosen} onChange={({ currentTarget }) => monitor.compareWith(currentTarget.value)}>
          {options.map((name) => (
            <option key={name} value={name}>
              {name || "not chosen"}
            </option>
          ))}
        </select>
      </label>
      <PlanLink steps={feed.shown.value?.metrics?.ecosystem.planSteps ?? 0} environment={chosen} />
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
