import { shellQuote, pluralize } from "../../core/words/text.ts";
import {
  stateText,
  toPrintable,
  type MetricsPayload,
  type ProcessStateName,
  countStates,
  unknownTexts,
  type DriftEntry,
  type Paint,
  type UnknownPart,
} from "../../core/index.ts";
import { renderDuration } from "../../core/words/time.ts";
import { formatBytes, formatPercent } from "./numbers.ts";
import { paint, type Screen, withVerdict, type Verdict } from "./screen.ts";
import { renderTable, type Column, fold } from "./table.ts";

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

interface Judged {
  readonly state: ProcessStateName;
  readonly problem: { readonly code: string } | null;
}

/** A list without a problem is not called good: what is declared may be missing. */
export function processVerdict(processes: readonly (Judged & { readonly name: string })[]): Verdict {
  const failing = processes.filter(({ problem }) => problem !== null);
  const [first] = failing;
  if (first === undefined) return { text: countStates(processes) };
  const count = `${countStates(processes).replace(/\.$/, "")}; ${failing.length} with a problem.`;
  return { text: count, tone: "bad", next: `svcm why ${shellQuote(first.name)}` };
}

export function stateColour({ state, problem }: Judged, colours: Paint): (text: string) => string {
  if (problem !== null) return colours.red;
  if (GOOD_STATES.has(state)) return colours.green;
  return state === "stopped" ? colours.dim : colours.yellow;
}

const GOOD_STATES: ReadonlySet<ProcessStateName> = new Set(["online", "running", "waiting", "ended"]);

interface ProblematicProcess {
  readonly name: string;
  readonly pmId: number;
  readonly problem: { readonly code: string; readonly details: string } | null;
}

export function renderProblems(processes: readonly ProblematicProcess[], screen: Screen): string {
  const lines = processes.flatMap(({ name, pmId, problem }) =>
    problem === null ? [] : [`${paint.red(problem.code)} ${name} (id ${pmId}): ${problem.details}`],
  );
  return fold(lines.join("\n"), screen);
}

export function renderDrift(drift: readonly DriftEntry[], screen: Screen): string {
  return renderTable(
    [
      { heading: "APP", cell: ({ name }) => name, shorten: "middle" },
      { heading: "ID", cell: ({ pmIds }) => pmIds.join(", "), shorten: "fold", dropPriority: 1 },
      { heading: "FIELD", cell: ({ field, key }) => (key === null ? field : `${field} ${key}`), shorten: "fold" },
      { heading: "STATE", cell: ({ state }) => state, colour: (_, { yellow }) => yellow },
      {
        heading: "DECLARED",
        cell: ({ declared, details }) => details ?? driftValue(declared),
        shorten: "middle",
        colour: (_, { green }) => green,
      },
      {
        heading: "RUNNING",
        cell: ({ running, details }) => (details === undefined ? driftValue(running) : ""),
        shorten: "middle",
        colour: (_, { red }) => red,
      },
    ],
    drift,
    screen,
  );
}

export function renderUnknown(unknown: readonly UnknownPart[], screen: Screen): string {
  const lines = unknownTexts(unknown, toPrintable).map((one) => paint.yellow(`? ${one}`));
  return fold(lines.join("\n"), screen);
}

function driftValue(value: DriftEntry["declared"]): string {
  return value === null ? "" : String(value);
}
