import type { HostMetrics } from "../../../core/api/metrics.ts";
import { toPrintable, type Paint } from "../../../core/index.ts";
import { fit, fold } from "../table.ts";
import { systemText, stateColour } from "../metrics.ts";
import { formatBytes, formatPercent, renderBar, renderSparkline } from "../numbers.ts";
import { type WatchState, visibleProcesses, type Process, type SortKey } from "./state.ts";
import { renderDuration } from "../../../core/words/time.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Rows kept free for the table, including its heading. */
const MIN_TABLE_ROWS = 4;

const LABEL_WIDTH = 7;
const VALUE_WIDTH = 8;
const HIGH_PERCENT = 75;
const CRITICAL_PERCENT = 90;

const HELP = [
  "s        sort by CPU, memory, restarts, name, status",
  "/        filter by name, namespace or status; Esc clears it",
  "p        pause or resume",
  "+ -      faster, slower",
  "↑ ↓ k j  select a process",
  "Enter    details of the selected process: why it ended, its ports, what acts next",
  "l        log of the selected process, as it is written",
  "S X R    start, stop, restart the selected process; y confirms",
  "?        this help",
  "q        quit",
];

export function viewLines(state: WatchState, { columns, rows }: Size, paint: Paint): string[] {
  const top = titleLine(state, columns, paint);
  const bottom = [bottomLine(state, columns, paint)];
  const room = rows - 1 - bottom.length;
  const body = renderBody(state, columns, room, paint);
  const filled = [...body.slice(0, room), ...Array.from({ length: Math.max(0, room - body.length) }, () => "")];
  return [top, ...filled, ...bottom].slice(0, rows);
}

function renderBody(state: WatchState, columns: number, room: number, paint: Paint): string[] {
  if (state.mode === "help") return ["", ...HELP.map((line) => fit(line, columns))];
  if (state.mode === "details") return fold(state.page.join("\n"), { width: columns, colours: 0 }).split("\n");
  if (state.mode === "log") return state.page.slice(-room).map((line) => fit(line, columns));
  return monitoringLines(state, columns, room, paint);
}

function titleLine(state: WatchState, columns: number, paint: Paint): string {
  const { sample, origin, intervalMs, isPaused, connection, filter } = state;
  const environment = sample?.kind === "metrics" ? sample.payload.environment : state.environment;
  const pace = isPaused ? "PAUSED" : connection;
  const found = filter === "" ? "" : ` · filter ${filter}`;
  const { host, collectedAt = "" } = sample?.payload ?? {};
  const machine = host?.system ? ` · ${systemText(host.system, collectedAt)}` : "";
  const text = fit(`${environment} · ${pace} · ${intervalMs} ms${found} · ${origin}${machine}`, columns);
  return connection === "live" && !isPaused ? paint.bold(text) : paint.yellow(text);
}

function monitoringLines(state: WatchState, columns: number, room: number, paint: Paint): string[] {
  const { sample, cpuHistory } = state;
  if (sample === undefined) return ["", ...waitingLines(state, columns, paint)];
  const all = hostLines(sample.payload.host, cpuHistory, columns, paint);
  const host = all.slice(0, Math.max(0, room - MIN_TABLE_ROWS - 1));
  const gap = host.length === 0 ? [] : [""];
  if (sample.kind === "host") {
    const { code, details } = sample.error;
    return [...host, ...gap, paint.red(fit(`${code}: ${details}`, columns))];
  }
  return [...host, ...gap, ...tableLines(state, columns, room - host.length - gap.length, paint)];
}

/** The most important lines come first, because a small window shows only these. */
function hostLines(
  { cpu, memory, disk }: HostMetrics,
  history: readonly (number | null)[],
  width: number,
  paint: Paint,
): string[] {
  const line = (label: string, value: number | null, note: string): string =>
    renderMeter({ label, value, note, width, paint });
  const load = cpu.loadAvg.one === null ? "" : `load ${cpu.loadAvg.one} ${cpu.loadAvg.five} ${cpu.loadAvg.fifteen}`;
  const used = `${formatBytes(memory.usedBytes)} of ${formatBytes(memory.totalBytes)}`;
  return [
    line("CPU", cpu.usagePercent, load),
    line("Memory", memory.usedPercent, used),
    `${paint.bold(fit("Trend", LABEL_WIDTH))} ${paint.cyan(fit(renderSparkline(history, width - LABEL_WIDTH - 1), width - LABEL_WIDTH - 1))}`,
    `${paint.bold(fit("Cores", LABEL_WIDTH))} ${paint.cyan(fit(renderSparkline(cpu.perCore, width - LABEL_WIDTH - 1), width - LABEL_WIDTH - 1))}`,
    ...disk.map((entry) =>
      "code" in entry
        ? fit(`Disk    ${entry.path}: ${entry.error}`, width)
        : line("Disk", entry.usedPercent, `${entry.path}  ${formatBytes(entry.availableBytes)} left`),
    ),
  ];
}

interface Meter {
  readonly label: string;
  readonly value: number | null;
  readonly note: string;
  readonly width: number;
  readonly paint: Paint;
}

function renderMeter({ label, value, note, width, paint }: Meter): string {
  const barWidth = Math.max(4, Math.floor((width - LABEL_WIDTH - VALUE_WIDTH - 3) / 2));
  const noteWidth = Math.max(0, width - LABEL_WIDTH - VALUE_WIDTH - barWidth - 3);
  const colour =
    value === null || value < HIGH_PERCENT ? paint.green : value < CRITICAL_PERCENT ? paint.yellow : paint.red;
  const parts = [
    paint.bold(fit(label, LABEL_WIDTH)),
    colour(renderBar(value, barWidth)),
    fit(formatPercent(value), VALUE_WIDTH, "right"),
    fit(note, noteWidth),
  ];
  return parts.join(" ");
}

function waitingLines({ connectionError, origin }: WatchState, columns: number, paint: Paint): string[] {
  if (connectionError === undefined) return [fit("Waiting for the first sample …", columns)];
  return [paint.red(fit(`No connection to ${origin}: ${connectionError}`, columns)), fit("Trying again …", columns)];
}

function bottomLine(state: WatchState, columns: number, paint: Paint): string {
  const { mode, pendingAction, notice, filter } = state;
  if (mode === "confirm" && pendingAction !== undefined) {
    return paint.yellow(
      fit(`${pendingAction.action} ${toPrintable(pendingAction.name)} (id ${pendingAction.pmId})? y/n`, columns),
    );
  }
  if (mode === "details") return paint.dim(fit("Enter refresh  any other key back  q quit", columns));
  if (mode === "log") return paint.dim(fit("the newest lines are at the bottom  any key back  q quit", columns));
  if (mode === "filter") return fit(`/${filter}_`, columns);
  const problem = notice === undefined ? problemOfSelected(state) : undefined;
  if (problem !== undefined) return paint.red(fit(problem, columns));
  if (notice !== undefined) return (notice.isBad ? paint.red : paint.cyan)(fit(notice.text, columns));
  return paint.dim(fit("q quit  ? help  / filter  Enter details  l log  S start  X stop  R restart", columns));
}

function problemOfSelected({ sample, selected }: WatchState): string | undefined {
  if (sample?.kind !== "metrics") return undefined;
  const problem = sample.payload.processes.find(({ pmId }) => pmId === selected)?.problem;
  return problem ? `${problem.code}: ${problem.details}` : undefined;
}

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

function tableLines(state: WatchState, width: number, height: number, paint: Paint): string[] {
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
