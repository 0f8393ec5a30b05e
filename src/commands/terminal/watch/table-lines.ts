import type { Paint } from "../../../core/index.ts";
import { renderDuration } from "../../../core/words/time.ts";
import { formatBytes, formatPercent } from "../numbers.ts";
import { fit } from "../fit.ts";
import { stateColour } from "../processes.ts";
import { visibleProcesses, type Process, type SortKey, type WatchState } from "./state.ts";

interface Column {
  readonly heading: string;
  readonly width: number;
  readonly side: "left" | "right";
  readonly cell: (process: Process, drifted: ReadonlySet<string>) => string;
  readonly sort?: SortKey;
  readonly paint?: (process: Process, paint: Paint) => (text: string) => string;
}

const MARK_WIDTH = 2;
/** Reserved for the name before another column is shown. */
const MIN_NAME_WIDTH = 8;
const PREFERRED_NAME_WIDTH = 18;

/** Across a wider column, the eye loses the row. */
const MAX_NAME_WIDTH = 40;

const status: Column = {
  heading: "STATUS",
  width: 10,
  side: "left",
  cell: ({ state }) => state,
  sort: "status",
  paint: (process, paint) => stateColour(process, paint),
};
const cpu: Column = {
  heading: "CPU",
  width: 7,
  side: "right",
  cell: ({ cpuPercent }) => formatPercent(cpuPercent),
  sort: "cpu",
};
const memory: Column = {
  heading: "MEMORY",
  width: 9,
  side: "right",
  cell: ({ memoryBytes }) => formatBytes(memoryBytes),
  sort: "memory",
};
const requiredColumns: readonly Column[] = [status, cpu, memory];
const optionalColumns: readonly Column[] = [
  { heading: "↻", width: 4, side: "right", cell: ({ restartCount }) => String(restartCount ?? "-"), sort: "restarts" },
  {
    heading: "DRIFT",
    width: 5,
    side: "left",
    cell: ({ name }, drifted) => (drifted.has(name) ? "drift" : ""),
    paint: (_process, paint) => paint.yellow,
  },
  {
    heading: "UPTIME",
    width: 8,
    side: "right",
    cell: ({ uptimeMs }) => (uptimeMs === null ? "" : renderDuration(uptimeMs)),
  },
  { heading: "READ/S", width: 9, side: "right", cell: ({ diskIo }) => formatBytes(diskIo.readBytesPerSecond) },
  { heading: "WRITE/S", width: 9, side: "right", cell: ({ diskIo }) => formatBytes(diskIo.writeBytesPerSecond) },
  { heading: "ID", width: 4, side: "right", cell: ({ pmId }) => String(pmId) },
  { heading: "PID", width: 7, side: "right", cell: ({ pid }) => (pid === null ? "" : String(pid)) },
];

export function tableLines(state: WatchState, width: number, height: number, paint: Paint): string[] {
  const columns = selectColumns(width);
  const heading = columns.map(({ heading: text, width: columnWidth, side, sort }) =>
    fit(sort === state.sort ? `${text}▾` : text, columnWidth, side),
  );
  const drifted = new Set(
    state.sample?.kind === "metrics" ? state.sample.payload.ecosystem.drift.map(({ name }) => name) : [],
  );
  const processes = visibleProcesses(state);
  const visibleRows = Math.max(1, height - 1);
  const at = processes.findIndex(({ pmId }) => pmId === state.selected);
  const first = Math.max(0, Math.min(at - visibleRows + 1, processes.length - visibleRows));
  const rows = processes.slice(first, first + visibleRows).map((process) => {
    const isSelected = process.pmId === state.selected;
    const cells = columns.map((column) => {
      const text = fit(column.cell(process, drifted), column.width, column.side);
      return column.paint ? column.paint(process, paint)(text) : text;
    });
    const line = `${isSelected ? ">" : " "} ${cells.join(" ")}`;
    return isSelected ? paint.bold(line) : line;
  });
  return [paint.bold(`${" ".repeat(MARK_WIDTH)}${heading.join(" ")}`), ...rows];
}

function selectColumns(width: number): Column[] {
  const name: Column = { heading: "NAME", width: 0, side: "left", cell: (process) => process.name, sort: "name" };
  const columns: Column[] = [];
  const totalWidth = (all: readonly Column[]): number =>
    all.reduce((sum, column) => sum + column.width + 1, MARK_WIDTH);
  for (const column of [...requiredColumns, ...optionalColumns]) {
    const minNameWidth = requiredColumns.includes(column) ? MIN_NAME_WIDTH : PREFERRED_NAME_WIDTH;
    if (totalWidth([...columns, column]) + minNameWidth > width) break;
    columns.push(column);
  }
  return [{ ...name, width: Math.min(MAX_NAME_WIDTH, Math.max(1, width - totalWidth(columns))) }, ...columns];
}
