import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { formatBytes, formatDuration, formatPercent, formatTime, UNKNOWN } from "../../data/format.ts";
import { Icon } from "../../ui/Button.tsx";
import { rowIn, type Monitor } from "./monitor.ts";
import { causesRestarts, statusOf, statusLabel } from "./process-status.ts";
import { ProcessActions } from "./ProcessActions.tsx";
import { singleGroup, type Growth, type Row } from "./rows.ts";

const MEGABYTE = 1024 ** 2;

export interface RowProps {
  readonly row: Row;
  readonly monitor: Monitor;
  /** The place in the whole table, of which only a part is drawn. */
  readonly index?: number;
  readonly isInstance?: boolean;
}

export function ProcessRow({ row, monitor, index, isInstance = false }: RowProps): JSX.Element {
  const isFolded = row.instances.length > 1;
  const isOpen = isFolded ? monitor.open.value.has(row.key) : monitor.side.shown.value === row.key;
  return (
    <>
      <tr
        class={`${isOpen ? "open" : ""}${isInstance ? " instance" : ""}${row.attention?.reason ? " urgent" : ""}`}
        aria-rowindex={index}
      >
        <Cells row={row} monitor={monitor} isOpen={isOpen} isInstance={isInstance} />
      </tr>
      {isOpen &&
        isFolded &&
        row.instances.map((process) => {
          const one = rowIn(monitor, singleGroup(process));
          return <ProcessRow key={one.key} row={one} monitor={monitor} isInstance />;
        })}
    </>
  );
}

type CellsProps = Required<Omit<RowProps, "index">> & { readonly isOpen: boolean };

/** Keeps unchanged elements, because the rows are rendered up to twice a second. */
function Cells({ row, monitor, isOpen, isInstance }: CellsProps): JSX.Element {
  const { key, process, instances, attention } = row;
  const { pmId, status, problem, cpuPercent, memoryBytes, restartCount, uptimeMs } = process;
  const badges = badgesOf(row.drift);
  const states = instances.map((one) => `${one.pmId} ${one.status}`).join();
  const cells = useMemo(
    () => ({
      status: <Status row={row} />,
      cpu: <Line rowKey={key} app={process.name} monitor={monitor} column={0} least={5} isFromZero tone="cpu" />,
      memory: <Line rowKey={key} app={process.name} monitor={monitor} column={1} least={MEGABYTE} tone="memory" />,
      actions: <ProcessActions row={row} monitor={monitor} isNumbered={isInstance} />,
    }),
    [monitor, key, states, status, problem?.code],
  );
  const head = useMemo(
    () => <Name row={row} monitor={monitor} isOpen={isOpen} isInstance={isInstance} badges={badges} />,
    [monitor, key, instances.length, pmId, status, problem?.code, isOpen, badges, attention?.reason],
  );
  return (
    <>
      <th scope="row">{head}</th>
      <td class="wide">{cells.status}</td>
      <td class="line">{cells.cpu}</td>
      <td class="number">{formatPercent(cpuPercent)}</td>
      <td class="line wide">{cells.memory}</td>
      <td class="number memory">{formatBytes(memoryBytes)}</td>
      {monitor.history.isAvailable.value && <GrowthCell growth={row.growth} />}
      <td class={`number wide${causesRestarts(process) ? " bad" : ""}`}>{restartCount ?? UNKNOWN}</td>
      <td class="number wide">{formatDuration(uptimeMs)}</td>
      <td class="wide row-actions">{cells.actions}</td>
    </>
  );
}

function Name({ row, monitor, isOpen, isInstance, badges }: CellsProps & { readonly badges: string }): JSX.Element {
  const { key, process, instances, attention } = row;
  const isFolded = instances.length > 1;
  return (
    <>
      <button
        type="button"
        class="process-name"
        {...(isFolded ? { "aria-expanded": isOpen } : { "aria-current": isOpen })}
        data-row={key}
        title={process.name}
        onClick={() => toggle(monitor, row, isOpen)}
      >
        <Icon name="chevron" size={12} />
        <i class={`dot ${statusOf(process)} narrow`} aria-hidden="true" />
        <Cut text={process.name} />
        {isFolded && <strong class="times">×{instances.length}</strong>}
        <span class={process.problem === null ? "hidden narrow-words" : "narrow-words bad"}>
          {statusLabel(process)}
        </span>
        {isInstance && <small>id {process.pmId}</small>}
        {badges
          .split(",")
          .filter(Boolean)
          .map((badge) => (
            <span key={badge} class={`badge${badge === "undeclared" ? "" : " warning"}`}>
              {badge}
            </span>
          ))}
      </button>
      {attention !== undefined && attention.reason !== "" && (
        <p class="why" title={attention.reason}>
          {attention.reason}
        </p>
      )}
    </>
  );
}

/** An app unfolds its instances; a process opens beside the list. */
function toggle({ open, side }: Monitor, { key, instances }: Row, isOpen: boolean): void {
  if (instances.length > 1) {
    const others = [...open.value].filter((other) => other !== key);
    open.value = new Set(isOpen ? others : [...others, key]);
  } else if (isOpen) side.close();
  else side.show(key);
}

/** Letters kept at the end, because similar names differ there. */
const TAIL = 8;

/** In the middle, to keep a long name on one line. */
function Cut({ text }: { text: string }): JSX.Element {
  const letters = Array.from(text);
  if (letters.length <= 2 * TAIL) {
    return (
      <span class="name">
        <span>{text}</span>
      </span>
    );
  }
  return (
    <>
      {/* A screen reader would read the two halves as two words. */}
      <span class="hidden">{text}</span>
      <span class="name" aria-hidden="true">
        <span>{letters.slice(0, -TAIL).join("")}</span>
        <span>{letters.slice(-TAIL).join("")}</span>
      </span>
    </>
  );
}

function badgesOf(drift: Row["drift"]): string {
  const words = drift.map(({ state, field }) => {
    if (state === "stale") return field === "script" ? "stale script" : "stale env";
    return state === "unexpected" ? "undeclared" : "drift";
  });
  return [...new Set(words)].toSorted().join();
}

function Status({ row: { process, instances } }: { row: Row }): JSX.Element {
  const status = statusOf(process);
  const alike = instances.filter((one) => statusOf(one) === status).length;
  return (
    <span class={`status ${status}`} title={process.problem?.details}>
      <i class={`dot ${status}`} aria-hidden="true" />
      {statusLabel(process)}
      {alike < instances.length && (
        <small>
          {alike} of {instances.length}
        </small>
      )}
    </span>
  );
}

function GrowthCell({ growth }: { growth: Growth | undefined }): JSX.Element {
  if (growth === undefined) return <td class="number wide growth">{UNKNOWN}</td>;
  const sign = growth.bytes < 0 ? "−" : "+";
  return (
    <td class="number wide growth" title={`since ${formatTime(growth.since * 1000)}`}>
      {sign}
      {formatBytes(Math.abs(growth.bytes))}
    </td>
  );
}

interface LineProps {
  readonly rowKey: string;
  readonly app: string;
  readonly monitor: Monitor;
  readonly column: number;
  readonly least: number;
  readonly isFromZero?: boolean;
  readonly tone: "cpu" | "memory";
}

function Line({ rowKey, app, monitor, column, least, isFromZero = false, tone }: LineProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const series = () => monitor.history.seriesOf(rowKey);
    const failures = () => monitor.events.failures(app);
    return monitor.sparklines.add({ canvas: canvas.current, column, minRange: least, isFromZero, series, failures });
  }, [monitor, rowKey, app]);
  return <canvas ref={canvas} class={`sparkline ${tone}`} aria-hidden="true" />;
}
