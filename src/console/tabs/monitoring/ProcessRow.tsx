import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ProcessMetrics } from "../../../client/index.ts";
import { formatBytes, formatDuration, formatPercent, formatRate, UNKNOWN } from "../../data/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { keyOf } from "./history.ts";
import { driftOf, statusOf, type ProcessProps } from "./monitor.ts";
import { ProcessActions } from "./ProcessActions.tsx";
import { ProcessDetail } from "./ProcessDetail.tsx";

const COLUMNS = 10;
const MEGABYTE = 1024 ** 2;

/** A process on one line, and what there is beside it below, where it was opened. */
export function ProcessRow({ process, monitor }: ProcessProps): JSX.Element {
  const key = keyOf(process);
  const isOpen = monitor.open.value.has(key);
  const { restartCount, cpuPercent, memoryBytes, uptimeMs } = process;
  return (
    <>
      <tr class={isOpen ? "open" : ""}>
        <th scope="row">
          <Name process={process} monitor={monitor} isOpen={isOpen} />
        </th>
        <td class="wide">
          <Status process={process} />
        </td>
        <td class="line">
          <Line process={process} monitor={monitor} column={0} least={5} tone="cpu" />
        </td>
        <td class="number">{formatPercent(cpuPercent)}</td>
        <td class="line wide">
          <Line process={process} monitor={monitor} column={1} least={MEGABYTE} tone="memory" />
        </td>
        <td class="number">{formatBytes(memoryBytes)}</td>
        <td class={`number wide${(process.unstableRestarts ?? 0) > 0 ? " bad" : ""}`}>{restartCount ?? UNKNOWN}</td>
        <td class="number wide">{formatDuration(uptimeMs)}</td>
        <td class="number wide">
          <DiskIo process={process} />
        </td>
        <td class="wide row-actions">
          <ProcessActions process={process} monitor={monitor} />
        </td>
      </tr>
      {isOpen && (
        <tr class="detail-row">
          <td colSpan={COLUMNS}>
            <ProcessDetail process={process} monitor={monitor} />
          </td>
        </tr>
      )}
    </>
  );
}

function Name({ process, monitor, isOpen }: ProcessProps & { isOpen: boolean }): JSX.Element {
  const key = keyOf(process);
  const toggle = (): void => {
    const open = new Set(monitor.open.value);
    if (!open.delete(key)) open.add(key);
    monitor.open.value = open;
  };
  return (
    <button type="button" class="process-name" aria-expanded={isOpen} onClick={toggle}>
      <Icon name="chevron" size={12} />
      <span class="process-words">
        <span class="name">
          <i class={`dot ${statusOf(process)} narrow`} aria-hidden="true" />
          {process.name}
        </span>
        <span class="hidden narrow-words">{process.status}</span>
        {process.execMode && <small class="wide">{process.execMode}</small>}
        <DriftBadges process={process} monitor={monitor} />
      </span>
    </button>
  );
}

/** What of the process is not as its ecosystem file says. The details say what. */
function DriftBadges({ process, monitor }: ProcessProps): JSX.Element | null {
  const drift = driftOf(monitor, process);
  if (drift.length === 0) return null;
  const isStale = drift.some(({ state }) => state === "stale");
  const isUndeclared = drift.some(({ state }) => state === "unexpected");
  const isDrifted = drift.some(({ state }) => state !== "stale" && state !== "unexpected");
  return (
    <>
      {isUndeclared && <span class="badge">undeclared</span>}
      {isDrifted && <span class="badge warning">drift</span>}
      {isStale && <span class="badge warning">stale env</span>}
    </>
  );
}

function Status({ process }: { process: ProcessMetrics }): JSX.Element {
  const status = statusOf(process);
  return (
    <span class={`status ${status}`}>
      <i class={`dot ${status}`} aria-hidden="true" />
      {process.status}
    </span>
  );
}

function DiskIo({ process: { diskIo } }: { process: ProcessMetrics }): JSX.Element {
  const { supported, readBytesPerSecond, writeBytesPerSecond, code, error } = diskIo;
  if (!supported || code !== undefined) {
    return <span title={error ?? `Not told by ${diskIo.platform}`}>{UNKNOWN}</span>;
  }
  return (
    <span class="disk-io">
      <span>
        <span class="hidden">read </span>
        <Icon name="down" size={10} />
        {formatRate(readBytesPerSecond)}
      </span>
      <span>
        <span class="hidden">written </span>
        <Icon name="up" size={10} />
        {formatRate(writeBytesPerSecond)}
      </span>
    </span>
  );
}

function Line(props: ProcessProps & { column: number; least: number; tone: "cpu" | "memory" }): JSX.Element {
  const { process, monitor, column, least, tone } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const key = keyOf(process);
  useEffect(() => {
    if (canvas.current === null) return;
    const series = () => monitor.feed.history.processOf(process);
    return monitor.sparklines.add({ canvas: canvas.current, column, least, series });
  }, [monitor, key]);
  return <canvas ref={canvas} class={`sparkline ${tone}`} aria-hidden="true" />;
}
