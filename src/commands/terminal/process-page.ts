import { auditText, eventText, type ProcessShowResponse } from "../../core/index.ts";
import { renderDuration } from "../../core/words/duration-text.ts";
import { formatBytes, formatPercent } from "./metrics.ts";
import { paint } from "./paint.ts";
import { statusColour } from "./status.ts";
import { whyLines } from "./why.ts";
import { counted } from "../../core/words/counted.ts";

type Process = ProcessShowResponse["processes"][number];

const MAX_DRIFT_FIELDS = 8;

/** @param log the last lines, if they are not among the errors */
export function processPage(
  { name, processes, why, ends, declaration, env }: ProcessShowResponse,
  log: readonly string[] = [],
): string[] {
  return [
    ...(processes.length === 0 ? [`${paint.bold(name)}  PM2 does not know it.`] : []),
    ...processes.flatMap((process) => stateLines(name, process)),
    ...section("Why", whyLines(why)),
    ...section(
      "Ends before",
      ends.slice(1).map((event) => `${auditText.secondOf(event.at)}  ${eventText(event)}`),
    ),
    ...section("Last lines of its log", log),
    ...section("Declaration", declarationLines(declaration)),
    ...section("Environment", [env.map(({ key, tier }) => `${key} (${tier})`).join(", ")].filter(Boolean)),
    ...section("Next", [...new Set(processes.flatMap(({ next }) => next))]),
  ];
}

function stateLines(name: string, process: Process): string[] {
  const { pmId, status, pid, uptimeMs, restartCount, cpuPercent, memoryBytes, execMode, script, problem } = process;
  const facts = [
    pid === null ? undefined : `pid ${pid}`,
    uptimeMs === null ? undefined : `up ${renderDuration(uptimeMs)}`,
    counted(restartCount, "restart"),
    cpuPercent === null ? undefined : `CPU ${formatPercent(cpuPercent)}`,
    memoryBytes === null ? undefined : `memory ${formatBytes(memoryBytes)}`,
    execMode ?? undefined,
  ];
  return [
    `${paint.bold(name)} (id ${pmId})  ${statusColour(status, paint)(status)}  ${facts.filter(Boolean).join(", ")}`,
    ...(script === null ? [] : [`  ${script}`]),
    `  ${portText(process)}`,
    ...(problem === null ? [] : [`  ${paint.red(problem.code)} ${problem.details}`]),
  ];
}

function portText({ ports, execMode, pid }: Process): string {
  if (pid === null) return "Listens on no port, because it does not run.";
  if (ports === null) {
    return execMode === "cluster" ? "PM2 listens for the processes of a cluster." : "Its ports cannot be read here.";
  }
  if (ports.length === 0) return "Listens on no port.";
  return `Listens on ${ports.map(({ address, port }) => `${address.includes(":") ? `[${address}]` : address}:${port}`).join(", ")}.`;
}

function declarationLines(declaration: ProcessShowResponse["declaration"]): string[] {
  if (declaration === null) return ["The environment has no ecosystem file."];
  const { fileName, isDeclared, drift, error, environment } = declaration;
  if (error !== undefined) return [`${fileName} cannot be read: ${error}`];
  if (!isDeclared) return [`${fileName} does not declare it.`];
  if (drift.length === 0) return [`It runs as ${fileName} declares it.`];
  const fields = drift.map(({ field, key, state }) => `  ${key === null ? field : `${field} ${key}`}: ${state}`);
  const rest = fields.length - MAX_DRIFT_FIELDS;
  return [
    `It differs from ${fileName}; svcm plan --environment ${environment} shows the steps:`,
    ...fields.slice(0, MAX_DRIFT_FIELDS),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint.bold(title), ...lines.map((line) => `  ${line}`)];
}
