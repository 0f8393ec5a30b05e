import { auditText, eventText, stateText, type ProcessShowResponse, type WhyResponse } from "../../core/index.ts";
import { renderDuration } from "../../core/words/duration.ts";
import { formatBytes, formatPercent } from "./numbers.ts";
import { paint } from "./paint.ts";
import { stateColour } from "./processes.ts";
import { pluralize } from "../../core/words/pluralize.ts";

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
      ends.slice(1).map((event) => `${auditText.formatTimestamp(event.at)}  ${eventText(event)}`),
    ),
    ...section("Last lines of its log", log),
    ...section("Declaration", declarationLines(declaration)),
    ...section("Environment", [env.map(({ key, tier }) => `${key} (${tier})`).join(", ")].filter(Boolean)),
    ...section("Next", [...new Set(processes.flatMap(({ next }) => next))]),
  ];
}

function stateLines(name: string, process: Process): string[] {
  const { pmId, state, stateReason, pid, uptimeMs, restartCount, cpuPercent, memoryBytes, execMode, script, problem } =
    process;
  const facts = [
    pid === null ? undefined : `pid ${pid}`,
    uptimeMs === null ? undefined : `up ${renderDuration(uptimeMs)}`,
    pluralize(restartCount, "restart"),
    cpuPercent === null ? undefined : `CPU ${formatPercent(cpuPercent)}`,
    memoryBytes === null ? undefined : `memory ${formatBytes(memoryBytes)}`,
    execMode ?? undefined,
  ];
  return [
    `${paint.bold(name)} (id ${pmId})  ${stateColour(process, paint)(stateText({ name: state, reason: stateReason }))}  ${facts.filter(Boolean).join(", ")}`,
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

/** More lines are hard to take in. */
const MAX_LINES = 10;

export function whyLines({ app, event, processes, recentEnds, now, errorLines, complete }: WhyResponse): string[] {
  const incompleteNote = complete ? [] : ["PM2's log is too large to read whole."];
  const appendErrors = (lines: readonly string[]): string[] => {
    if (errorLines.length === 0) return [...lines];
    const room = Math.max(1, MAX_LINES - lines.length - 1);
    return [...lines, "Last lines of its error log:", ...errorLines.slice(-room).map((line) => `  ${line}`)];
  };
  const state = [...currentStateLines(app, processes), ...now, ...incompleteNote];
  if (event === null) return appendErrors([...state, `PM2's log shows no exit of this process in the last 30 days.`]);
  const { at, evidence, actor } = event;
  return appendErrors([
    `${auditText.formatTimestamp(at)}  ${eventText(event)}`,
    ...evidence.map((sentence) => `  ${sentence}`),
    ...(actor === undefined ? [] : [`  By ${actor}.`]),
    ...(recentEnds > 1 ? [`  It ended ${recentEnds} times within 15 minutes without a request.`] : []),
    ...state,
  ]);
}

function currentStateLines(app: string, processes: WhyResponse["processes"]): string[] {
  if (processes.length === 0) return [];
  const isGivenUp = processes.some(({ status }) => status === "errored");
  const next = isGivenUp ? ` PM2 does not start it again; svcm process restart ${app} does.` : "";
  return [`Now: ${processes.map(({ status }) => status).join(", ")}.${next}`];
}
