import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ProcessMetrics } from "../../../client/index.ts";
import { formatBytes, formatDuration, formatPercent, formatRate, UNKNOWN } from "../../data/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { keyOf } from "./history.ts";
import { driftOf, type ProcessProps } from "./monitor.ts";
import { isRestless, statusOf, statusWord } from "./process-status.ts";
import { ProcessActions } from "./ProcessActions.tsx";
import { ProcessDetail } from "./ProcessDetail.tsx";

const COLUMNS = 10;
const MEGABYTE = 1024 ** 2;

export function ProcessRow({ process, monitor }: ProcessProps): JSX.Element {
  const isOpen = monitor.open.value.has(keyOf(process));
  return (
    <>
      <tr class={isOpen ? "open" : ""}>
        <Cells process={process} monitor={monitor} isOpen={isOpen} />
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

/** Keeps unchanged elements, because up to a hundred rows are rendered twice a second. */
function Cells({ process, monitor, isOpen }: ProcessProps & { isOpen: boolean }): JSX.Element {
  const { name, pmId, status, problem, execMode, cpuPercent, memoryBytes, restartCount, uptimeMs } = process;
  const badges = badgesOf(driftOf(monitor, process));
  const cells = useMemo(
    () => ({
      status: <Status process={process} />,
      cpu: <Line process={process} monitor={monitor} column={0} least={5} isFromZero tone="cpu" />,
      memory: <Line process={process} monitor={monitor} column={1} least={MEGABYTE} tone="memory" />,
      actions: <ProcessActions process={process} monitor={monitor} />,
    }),
    [monitor, name, pmId, status, problem?.code],
  );
  const head = useMemo(
    () => <Name process={process} monitor={monitor} isOpen={isOpen} badges={badges} />,
    [monitor, name, pmId, status, problem?.code, execMode, isOpen, badges],
  );
  const { code, readBytesPerSecond, writeBytesPerSecond } = process.diskIo;
  const diskIo = useMemo(() => <DiskIo process={process} />, [code, readBytesPerSecond, writeBytesPerSecond]);
  return (
    <>
      <th scope="row">{head}</th>
      <td class="wide">{cells.status}</td>
      <td class="line">{cells.cpu}</td>
      <td class="number">{formatPercent(cpuPercent)}</td>
      <td class="line wide">{cells.memory}</td>
      <td class="number">{formatBytes(memoryBytes)}</td>
      <td class={`number wide${isRestless(process) ? " bad" : ""}`}>{restartCount ?? UNKNOWN}</td>
      <td class="number wide">{formatDuration(uptimeMs)}</td>
      <td class="number wide disk">{diskIo}</td>
      <td class="wide row-actions">{cells.actions}</td>
    </>
  );
}

function Name(props: ProcessProps & { isOpen: boolean; badges: string }): JSX.Element {
  const { process, monitor, isOpen, badges } = props;
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
        <span class={process.problem === null ? "hidden narrow-words" : "narrow-words bad"}>{statusWord(process)}</span>
        {process.execMode && <small class="wide">{process.execMode}</small>}
        {(badges === "" ? [] : badges.split(",")).map((badge) => (
          <span key={badge} class={`badge${badge === "undeclared" ? "" : " warning"}`}>
            {badge}
          </span>
        ))}
      </span>
    </button>
  );
}

function badgesOf(drift: ReturnType<typeof driftOf>): string {
  const words = drift.map(({ state }) =>
    state === "stale" ? "stale env" : state === "unexpected" ? "undeclared" : "drift",
  );
  return [...new Set(words)].toSorted().join();
}

function Status({ process }: { process: ProcessMetrics }): JSX.Element {
  const status = statusOf(process);
  return (
    <span class={`status ${status}`} title={process.problem?.details}>
      <i class={`dot ${status}`} aria-hidden="true" />
      {statusWord(process)}
    </span>
  );
}

function DiskIo({ process: { diskIo } }: { process: ProcessMetrics }): JSX.Element {
  const { supported, readBytesPerSecond, writeBytesPerSecond, code, error } = diskIo;
  if (!supported || code !== undefined) {
    return <span title={error ?? `Not available on ${diskIo.platform}`}>{UNKNOWN}</span>;
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

interface LineProps extends ProcessProps {
  readonly column: number;
  readonly least: number;
  readonly isFromZero?: boolean;
  readonly tone: "cpu" | "memory";
}

function Line(props: LineProps): JSX.Element {
  const { process, monitor, column, least, isFromZero = false, tone } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const key = keyOf(process);
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const series = () => monitor.feed.history.processOf(process);
    return monitor.sparklines.add({ canvas: canvas.current, column, least, isFromZero, series });
  }, [monitor, key]);
  return <canvas ref={canvas} class={`sparkline ${tone}`} aria-hidden="true" />;
}
