import { stateText, toPrintable, type MetricsPayload, type ProcessStateName } from "../../core/index.ts";
import { processVerdict, renderDrift, renderProblems, stateColour } from "./processes.ts";
import { renderDuration } from "../../core/words/time.ts";
import { formatBytes, formatPercent } from "./numbers.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";
import { withVerdict } from "./verdict.ts";
import { renderTable, type Column } from "./table.ts";
import { pluralize } from "../../core/words/text.ts";

type Process = MetricsPayload["processes"][number];
type Host = MetricsPayload["host"];

export function renderMetrics(payload: MetricsPayload, screen: Screen): string {
  const { ecosystem, processes } = payload;
  const blocks = [
    renderHost(payload),
    processes.length === 0 ? "" : renderProcesses(processes, screen),
    renderProblems(processes, screen),
    ecosystem.error ?? "",
    ecosystem.drift.length === 0 ? "" : renderDrift(ecosystem.drift, screen),
  ];
  return withVerdict(processVerdict(processes), blocks.filter((block) => block !== "").join("\n\n"));
}

export function renderHost({ host, collectedAt }: Pick<MetricsPayload, "host" | "collectedAt">): string {
  const { cpu, memory, disk, system } = host;
  const { one, five, fifteen } = cpu.loadAvg;
  const load = one === null ? "" : `, load ${one} ${five} ${fifteen}`;
  const model = cpu.model === null ? "" : ` (${toPrintable(cpu.model)})`;
  const lines = [
    ...(system === null ? [] : systemLines(system, collectedAt)),
    `${paint.bold("CPU")}     ${formatPercent(cpu.usagePercent)} of ${pluralize(cpu.coreCount, "core")}${model}${load}`,
    `${paint.bold("MEMORY")}  ${formatBytes(memory.usedBytes)} of ${formatBytes(memory.totalBytes)} used, processes ${formatBytes(memory.processRssSumBytes)}`,
    ...disk.map((entry) =>
      "code" in entry
        ? `${paint.bold("DISK")}    ${toPrintable(entry.path)}: ${entry.error}`
        : `${paint.bold("DISK")}    ${toPrintable(entry.path)}: ${formatBytes(entry.availableBytes)} of ${formatBytes(entry.totalBytes)} left`,
    ),
  ];
  return lines.join("\n");
}

function systemLines({ interfaces, ...system }: NonNullable<Host["system"]>, collectedAt: string): string[] {
  const network = interfaces.map(({ name, addresses }) => `${name} ${addresses.join(" ")}`).join(", ");
  return [
    `${paint.bold("HOST")}    ${toPrintable(systemText(system, collectedAt))}`,
    ...(network === "" ? [] : [`${paint.bold("NETWORK")} ${toPrintable(network)}`]),
  ];
}

/** `shop-01, Debian GNU/Linux 12, 6.1.0-18-amd64, kvm, up 12d 9h`. */
export function systemText(system: Omit<NonNullable<Host["system"]>, "interfaces">, collectedAt: string): string {
  const { hostName, os, kernel, virtualization, bootedAt } = system;
  const up =
    bootedAt === null ? null : `up ${renderDuration(Math.max(0, Date.parse(collectedAt) - Date.parse(bootedAt)))}`;
  return [hostName, os, kernel, virtualization, up].filter(Boolean).join(", ");
}

function renderProcesses(processes: readonly Process[], screen: Screen): string {
  const hasAsyncContext = processes.some(({ asyncContext }) => asyncContext !== null);
  return renderTable<Process>(
    [
      ...processColumns,
      { heading: "PID", cell: ({ pid }) => (pid === null ? "-" : String(pid)), side: "right", dropPriority: 5 },
      {
        heading: "READ/S",
        cell: ({ diskIo }) => formatBytes(diskIo.readBytesPerSecond),
        side: "right",
        dropPriority: 3,
      },
      {
        heading: "WRITE/S",
        cell: ({ diskIo }) => formatBytes(diskIo.writeBytesPerSecond),
        side: "right",
        dropPriority: 4,
      },
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

interface ProcessCells {
  readonly name: string;
  readonly pmId: number;
  readonly state: ProcessStateName;
  readonly stateReason: string | null;
  readonly problem: { readonly code: string } | null;
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly uptimeMs: number | null;
  readonly restartCount: number | null;
}

export const processColumns: readonly Column<ProcessCells>[] = [
  { heading: "NAME", cell: ({ name }) => name, shorten: "middle" },
  { heading: "ID", cell: ({ pmId }) => String(pmId), side: "right" },
  {
    heading: "STATUS",
    cell: ({ state, stateReason }) => stateText({ name: state, reason: stateReason }),
    colour: (process, colours) => stateColour(process, colours),
    shorten: "fold",
  },
  { heading: "CPU", cell: ({ cpuPercent }) => formatPercent(cpuPercent), side: "right" },
  { heading: "MEMORY", cell: ({ memoryBytes }) => formatBytes(memoryBytes), side: "right" },
  {
    heading: "UPTIME",
    cell: ({ uptimeMs }) => (uptimeMs === null ? "-" : renderDuration(uptimeMs)),
    side: "right",
    dropPriority: 1,
  },
  { heading: "RESTARTS", cell: ({ restartCount }) => String(restartCount ?? "-"), side: "right", dropPriority: 2 },
];
