import { visible, type MetricsPayload } from "../../core/index.ts";
import { renderDrift } from "./drift.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";
import { renderTable } from "./table.ts";

type Process = MetricsPayload["processes"][number];

/** The host in a few lines, the processes as a table, and how many differ from the ecosystem file. */
export async function renderMetrics(payload: MetricsPayload, screen: Screen): Promise<string> {
  const { ecosystem, processes } = payload;
  const blocks = [
    await renderHost(payload, screen),
    processes.length === 0 ? "PM2 knows no process." : await renderProcesses(processes, screen),
    ecosystem.error === undefined ? "" : visible(ecosystem.error),
    ecosystem.drift.length === 0 ? "" : await renderDrift(ecosystem.drift, screen),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

async function renderHost({ host }: MetricsPayload, screen: Screen): Promise<string> {
  const { bold } = await paint(screen.colours);
  const { cpu, memory, disk } = host;
  const { one, five, fifteen } = cpu.loadAvg;
  const load = one === null ? "" : `, load ${one} ${five} ${fifteen}`;
  const model = cpu.model === null ? "" : ` (${visible(cpu.model)})`;
  const lines = [
    `${bold("CPU")}     ${percent(cpu.usagePercent)} of ${cpu.coreCount} cores${model}${load}`,
    `${bold("MEMORY")}  ${bytes(memory.usedBytes)} of ${bytes(memory.totalBytes)} used, processes ${bytes(memory.processRssSumBytes)}`,
    ...disk.map((entry) =>
      "code" in entry
        ? `${bold("DISK")}    ${visible(entry.path)}: ${entry.error}`
        : `${bold("DISK")}    ${visible(entry.path)}: ${bytes(entry.availableBytes)} of ${bytes(entry.totalBytes)} left`,
    ),
  ];
  return lines.join("\n");
}

function renderProcesses(processes: readonly Process[], screen: Screen): Promise<string> {
  const hasAsyncContext = processes.some(({ asyncContext }) => asyncContext !== null);
  return renderTable<Process>(
    [
      { heading: "ID", cell: ({ pmId }) => String(pmId) },
      { heading: "NAME", cell: ({ name }) => visible(name) },
      { heading: "STATUS", cell: ({ status }) => visible(status) },
      { heading: "PID", cell: ({ pid }) => (pid === null ? "" : String(pid)) },
      { heading: "CPU", cell: ({ cpuPercent }) => percent(cpuPercent) },
      { heading: "MEMORY", cell: ({ memoryBytes }) => bytes(memoryBytes) },
      { heading: "UPTIME", cell: ({ uptimeMs }) => (uptimeMs === null ? "" : duration(uptimeMs)) },
      { heading: "RESTARTS", cell: ({ restartCount }) => String(restartCount ?? "") },
      { heading: "READ/S", cell: ({ diskIo }) => bytes(diskIo.readBytesPerSecond) },
      { heading: "WRITE/S", cell: ({ diskIo }) => bytes(diskIo.writeBytesPerSecond) },
      ...(hasAsyncContext ? [{ heading: "ASYNC", cell: asyncContextCell }] : []),
    ],
    processes,
    screen,
  );
}

function asyncContextCell({ asyncContext }: Process): string {
  if (asyncContext === null) return "";
  return "code" in asyncContext ? String(asyncContext["code"]) : String(asyncContext.active ?? "");
}

export function percent(value: number | null): string {
  return value === null ? "-" : `${value.toFixed(1)} %`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(value: number | null): string {
  if (value === null) return "-";
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  return `${(value / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

const SPANS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [size, unit] = SPANS.find(([span]) => seconds >= span) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}
