import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useEffect } from "preact/hooks";
import type { ProcessMetrics } from "../../../client/index.ts";
import { useConsole, usePage } from "../../console.ts";
import { EmptyState } from "../../ui/Card.tsx";
import { ProblemLine, StatusRegion } from "../../ui/Problem.tsx";
import { CodeLine } from "../../ui/Copy.tsx";
import { VirtualTable } from "../../ui/VirtualTable.tsx";
import type { Sample } from "./feed.ts";
import { type Monitor, rowIn } from "./monitor.ts";
import { statusOf } from "./process-status.ts";
import { ProcessRow } from "./ProcessRow.tsx";
import { groupByApp, keyOf } from "./rows.ts";
import { TableTools } from "./TableTools.tsx";
import { Icon, Button } from "../../ui/Button.tsx";
import type { Column } from "./address.ts";
import { pluralize } from "../../data/format.ts";

interface SortHeaderProps {
  readonly column: Column;
  readonly label: string;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly order: Monitor["order"];
}

export function ProcessTable({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const sample = monitor.feed.displayed.value;
  if (sample === undefined) return null;
  return (
    <section class="card flush processes" aria-label="Processes">
      <TableTools monitor={monitor} />
      <StatusRegion>
        <Refused sample={sample} />
        <EcosystemProblem sample={sample} />
      </StatusRegion>
      <MissingApps monitor={monitor} />
      <Rows monitor={monitor} />
    </section>
  );
}

/** Keeps a refusal whose figures alone change, because a screen reader would announce each change. */
function Refused({ sample }: { sample: Sample }): JSX.Element | null {
  const refusal = useMemo(() => sample.refusal, [sample.refusal?.details.replaceAll(/\d/g, "")]);
  if (refusal === undefined) return null;
  const { error, details, code } = refusal;
  return <ProblemLine problem={error === undefined ? { error: details, code } : { error, details, code }} />;
}

function EcosystemProblem({ sample: { metrics } }: { sample: Sample }): JSX.Element | null {
  const { error, code, path } = metrics?.ecosystem ?? {};
  if (error === undefined) return null;
  return <ProblemLine tone="warning" problem={{ error, ...(code && { code }), ...(path && { path }) }} />;
}

/** In rem, as in the style sheet. */
const ROW_HEIGHT = 2.25;

function Rows({ monitor }: { monitor: Monitor }): JSX.Element {
  const { order, feed } = monitor;
  const list = feed.displayed.value?.metrics?.processes;
  useSparklines(monitor);
  if (list === undefined) return <NoPm2 monitor={monitor} />;
  if (list.length === 0) return <NoProcesses monitor={monitor} />;
  const wanted = list.filter((process) => isWanted(monitor, process));
  const groups = groupByApp(wanted.length === list.length ? list : wanted);
  return (
    <VirtualTable
      label="Processes"
      head={<Head monitor={monitor} />}
      rows={order.sorted(groups.map((one) => rowIn(monitor, one)))}
      rowHeight={ROW_HEIGHT}
      empty="No process matches"
      order={order.sorting.value}
      keyOf={({ key }) => key}
      renderRow={(row, index, slot) => <ProcessRow key={slot} row={row} monitor={monitor} index={index} />}
    />
  );
}

function Head({ monitor }: { monitor: Monitor }): JSX.Element {
  const { order, history } = monitor;
  return (
    <thead>
      <tr>
        <SortHeader column="name" label="Name" order={order} />
        <SortHeader column="status" label="Status" class="wide" order={order} />
        <td class="line line-head" />
        <SortHeader column="cpu" label="CPU" isNumber order={order} />
        <td class="line line-head wide" />
        <SortHeader column="memory" label="Memory" class="memory" isNumber order={order} />
        {history.isAvailable.value && (
          <SortHeader column="growth" label="Growth" class="wide growth" isNumber order={order} />
        )}
        <SortHeader column="restarts" label="Restarts" class="wide" isNumber order={order} />
        <SortHeader column="uptime" label="Uptime" class="wide" isNumber order={order} />
        <th scope="col" class="wide">
          <span class="hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function useSparklines({ sparklines }: Monitor): void {
  const { appearance } = useConsole();
  useLayoutEffect(() => {
    let last = -1;
    return effect(() => {
      const version = appearance.version.value;
      if (version !== last) sparklines.resetColors();
      last = version;
      sparklines.draw();
    });
  }, [sparklines]);
}

function isWanted({ wanted, status, frozen }: Monitor, process: ProcessMetrics): boolean {
  if (frozen.value?.keys.has(keyOf(process)) === false) return false;
  if (status.value !== "" && statusOf(process) !== status.value) return false;
  const { name, namespace, pid, pmId } = process;
  return [name, namespace, pid, pmId].some((word) => `${word ?? ""}`.toLowerCase().includes(wanted.value));
}

function NoPm2({ monitor }: { monitor: Monitor }): JSX.Element {
  const refusal = monitor.feed.displayed.value?.refusal;
  if (refusal === undefined) return <EmptyState icon="activity" title="Waiting for the first sample of PM2" />;
  return (
    <EmptyState icon="activity" title="The processes of PM2 cannot be read">
      <p>Processes are shown as soon as PM2 can be read.</p>
      {refusal.code === "PM2_NOT_RUNNING" && <StartAll monitor={monitor} />}
    </EmptyState>
  );
}

function StartAll({ monitor }: { monitor: Monitor }): JSX.Element {
  return <CodeLine text={`svcm start ${monitor.flags.value}`} what="the command" />;
}

function NoProcesses({ monitor }: { monitor: Monitor }): JSX.Element {
  return (
    <EmptyState icon="layers" title="PM2 runs no process">
      <p>Start the apps of the ecosystem file above, or all of them with this command.</p>
      <StartAll monitor={monitor} />
    </EmptyState>
  );
}

function SortHeader(props: SortHeaderProps): JSX.Element {
  const { column, label, order, isNumber = false } = props;
  const { by, isDescending } = order.sorting.value;
  const isSorted = by === column;
  const direction = isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      class={`${isNumber ? "number " : ""}${props.class ?? ""}`}
      aria-sort={isSorted ? direction : "none"}
    >
      <button
        type="button"
        class="sort"
        onClick={() => order.choose({ by: column, isDescending: isSorted ? !isDescending : isNumber })}
      >
        {label}
        {isSorted && <Icon name={isDescending ? "down" : "up"} size={12} />}
      </button>
    </th>
  );
}

/** A longer list would push the processes off the screen. */
const MAX_OPEN = 3;

/** Declared apps that PM2 does not know. They keep their places while the user points at them. */
function MissingApps({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const { feed, frozen } = monitor;
  const metrics = feed.displayed.value?.metrics;
  const known = new Set(metrics?.processes.map(({ name }) => name));
  const unknown = metrics?.ecosystem.missingExpected.filter((name) => !known.has(name)) ?? [];
  const missing = frozen.value?.missing ?? unknown;
  const release = (): void => void (frozen.value = undefined);
  const hold = (): void => void (frozen.value ??= { keys: new Set(metrics?.processes.map(keyOf)), missing: unknown });
  useEffect(() => release, [monitor]);
  if (metrics === undefined || missing.length === 0) return null;
  return (
    <details class="missing" open={missing.length <= MAX_OPEN}>
      <summary>
        <h3>
          {pluralize(missing.length, "app")} declared in <code>{metrics.ecosystem.fileName}</code>, not known to PM2
        </h3>
      </summary>
      <ul
        onPointerEnter={hold}
        onPointerLeave={release}
        onFocusIn={({ target }) => (target as Element).matches(":focus-visible") && hold()}
        onFocusOut={release}
      >
        {missing.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
            <Start name={name} monitor={monitor} isStarted={known.has(name)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The button stays after the start, because it may have the focus. */
function Start({ name, monitor, isStarted }: { name: string; monitor: Monitor; isStarted: boolean }): JSX.Element {
  const isBusy = monitor.underWay.value.has(name);
  const reason = usePage().identity.reasonAgainst("act");
  const start = async (): Promise<void> => {
    if (!isStarted && !isBusy) await monitor.startDeclared([name], "Start");
  };
  return (
    <Button
      size="small"
      icon={isStarted ? "check" : "play"}
      aria-label={`${isStarted ? "Started" : "Start"} ${name}`}
      aria-disabled={isStarted || isBusy}
      disabled={monitor.feed.state.value !== "live"}
      reason={reason}
      onClick={() => void start()}
    >
      {isStarted ? "Started" : isBusy ? "Starting…" : "Start"}
    </Button>
  );
}
