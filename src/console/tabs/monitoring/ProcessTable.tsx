import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ProcessMetrics } from "../../../client/index.ts";
import { useConsole } from "../../console.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import type { Shown } from "./feed.ts";
import { keyOf } from "./history.ts";
import { MissingApps } from "./MissingApps.tsx";
import type { Monitor } from "./monitor.ts";
import { statusOf } from "./process-status.ts";
import type { Column } from "./order.ts";
import { ProcessRow } from "./ProcessRow.tsx";
import { SortHeader } from "./SortHeader.tsx";
import { TableTools } from "./TableTools.tsx";

export function ProcessTable({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const shown = monitor.feed.shown.value;
  if (shown === undefined) return null;
  return (
    <section class="card flush processes" aria-label="Processes">
      <TableTools monitor={monitor} />
      <StatusRegion>
        <Refused shown={shown} />
        <EcosystemProblem shown={shown} />
      </StatusRegion>
      <Rows monitor={monitor} />
      <MissingApps monitor={monitor} />
    </section>
  );
}

/** The first words of a refusal: words that change with each sample would be announced each time. */
function Refused({ shown }: { shown: Shown }): JSX.Element | null {
  const refusal = useMemo(() => shown.refusal, [shown.refusal?.code]);
  if (refusal === undefined) return null;
  const { error, details, code } = refusal;
  return (
    <StatusLine tone="error">
      <ProblemText problem={error === undefined ? { error: details, code } : { error, details, code }} />
    </StatusLine>
  );
}

function EcosystemProblem({ shown: { metrics } }: { shown: Shown }): JSX.Element | null {
  const { error, code, path } = metrics?.ecosystem ?? {};
  if (error === undefined) return null;
  return (
    <StatusLine tone="warning">
      <ProblemText problem={{ error, ...(code && { code }), ...(path && { path }) }} />
    </StatusLine>
  );
}

const columns: readonly { readonly by: Column; readonly label: string; readonly class?: string }[] = [
  { by: "restarts", label: "Restarts", class: "wide" },
  { by: "uptime", label: "Uptime", class: "wide" },
  { by: "disk", label: "Disk I/O", class: "wide disk" },
];

function Rows({ monitor }: { monitor: Monitor }): JSX.Element {
  const { order, feed } = monitor;
  const list = feed.shown.value?.metrics?.processes;
  useSparklines(monitor);
  const body = useRef<HTMLTableSectionElement>(null);
  if (list === undefined) return <NoPm2 monitor={monitor} />;
  if (list.length === 0) return <NoProcesses monitor={monitor} />;
  const rows = order.ordered(list.filter((process) => isWanted(monitor, process)));
  const head = {
    sorting: order.sorting.value,
    onSort: (next: typeof order.sorting.value) => (order.sorting.value = next),
  };
  const hold = (held: boolean): void => {
    order.isHeld.value = held || body.current?.contains(document.activeElement) === true;
  };
  return (
    <div class="table-scroll">
      <table class="rows" aria-label="Processes">
        <thead>
          <tr>
            <SortHeader column="name" label="Name" {...head} />
            <SortHeader column="status" label="Status" class="wide" {...head} />
            <td class="line line-head" />
            <SortHeader column="cpu" label="CPU" isNumber {...head} />
            <td class="line line-head wide" />
            <SortHeader column="memory" label="Memory" isNumber {...head} />
            {columns.map((column) => (
              <SortHeader key={column.by} column={column.by} isNumber {...head} {...column} />
            ))}
            <th scope="col" class="wide">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
          onFocusIn={() => hold(true)}
          onFocusOut={({ relatedTarget }) => hold(body.current?.contains(relatedTarget as Node | null) === true)}
        >
          {rows.map((process) => (
            <ProcessRow key={keyOf(process)} process={process} monitor={monitor} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <EmptyState icon="search" title="No process matches" />}
    </div>
  );
}

/** Draws all sparklines together, after the rows. */
function useSparklines({ feed, sparklines }: Monitor): void {
  const { appearance } = useConsole();
  useSignalEffect(() => {
    void appearance.version.value;
    sparklines.forgetInk();
    sparklines.draw();
  });
  useEffect(() => sparklines.draw(), [feed.shown.value]);
}

function isWanted({ filter, status, still }: Monitor, process: ProcessMetrics): boolean {
  if (still.value?.keys.has(keyOf(process)) === false) return false;
  if (status.value !== "" && statusOf(process) !== status.value) return false;
  const text = filter.value.trim().toLowerCase();
  const words = [process.name, process.namespace ?? "", String(process.pid ?? ""), String(process.pmId)];
  return text === "" || words.some((word) => word.toLowerCase().includes(text));
}

function NoPm2({ monitor: { feed } }: { monitor: Monitor }): JSX.Element {
  const refusal = feed.shown.value?.refusal;
  if (refusal === undefined) return <EmptyState icon="activity" title="Waiting for the first sample of PM2" />;
  return (
    <EmptyState icon="activity" title="The processes of PM2 cannot be read">
      <p>The charts of the host continue. Processes are shown as soon as PM2 can be read.</p>
      {refusal.code === "PM2_NOT_RUNNING" && <StartAll environment={feed.environment.value} />}
    </EmptyState>
  );
}

function StartAll({ environment }: { environment: string }): JSX.Element {
  return <CodeLine text={`svcm process start --ecosystem --environment ${environment}`} what="the command" />;
}

function NoProcesses({ monitor }: { monitor: Monitor }): JSX.Element {
  return (
    <EmptyState icon="layers" title="PM2 runs no process">
      <p>Start the apps of the ecosystem file below, one by one, or all of them with this command.</p>
      <StartAll environment={monitor.feed.environment.value} />
    </EmptyState>
  );
}
