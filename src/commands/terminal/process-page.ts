import {
  eventText,
  stateSentences,
  stateText,
  toPrintable,
  unknownText,
  type ProcessShowResponse,
  type SvcmEvent,
  type WhyResponse,
} from "../../core/index.ts";
import { renderDuration, inLocalTime } from "../../core/words/time.ts";
import { formatBytes, formatPercent } from "./numbers.ts";
import { paint } from "./screen.ts";
import { stateColour } from "./metrics.ts";
import { andMore, pluralize } from "../../core/words/text.ts";

type Process = ProcessShowResponse["processes"][number];

const MAX_DRIFT_FIELDS = 8;

/** @param log the last lines, if they are not among the errors */
export function processPage(
  { name, processes, why, ends, declaration, env }: ProcessShowResponse,
  log: readonly string[] = [],
): string[] {
  return [
    ...(processes.length === 0 ? [`${paint.bold(name)}  No process of it is known now.`] : []),
    ...processes.flatMap((process) => stateLines(name, process)),
    ...section("Why", whyLines(why, Date.now())),
    ...section(
      "Ends before",
      ends.slice(1).map((event) => `${timeText(event)}  ${eventText(event)}`),
    ),
    ...section("Last lines of its log", log),
    ...section("Declaration", declarationLines(declaration)),
    ...section("Environment", [env.map(({ key, tier }) => `${key} (${tier})`).join(", ")].filter(Boolean)),
    ...section("Next", [...new Set(processes.flatMap(({ next }) => next))]),
  ];
}

function stateLines(name: string, process: Process): string[] {
  const {
    pmId,
    state,
    stateReason,
    pid,
    uptimeMs,
    restartCount,
    cpuPercent,
    memoryBytes,
    execMode,
    script,
    problem,
    tree,
  } = process;
  const facts = [
    pid === null ? undefined : `pid ${pid}`,
    uptimeMs === null ? undefined : `up ${renderDuration(uptimeMs)}`,
    pluralize(restartCount, "restart"),
    cpuPercent === null ? undefined : `CPU ${formatPercent(cpuPercent)}`,
    memoryBytes === null ? undefined : `memory ${formatBytes(memoryBytes)}`,
    tree === undefined ? undefined : `${tree.processCount} processes`,
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
  const { fileName, isDeclared, drift, unknown, error, environment } = declaration;
  if (error !== undefined) {
    const declared = fileName === "svcm.yaml" ? "its declaration" : fileName;
    return [`It is not compared with ${declared}: ${error}`];
  }
  if (!isDeclared) return [`${fileName} does not declare it.`];
  const doubts = unknown.map((one) => unknownText(one, toPrintable));
  if (drift.length === 0) return doubts.length > 0 ? doubts : [`It runs as ${fileName} declares it.`];
  const fields = drift.map(({ field, key, state }) => `${key === null ? field : `${field} ${key}`}: ${state}`);
  const listed = [...fields.slice(0, MAX_DRIFT_FIELDS), ...andMore(fields.length - MAX_DRIFT_FIELDS)];
  return [
    `It differs from ${fileName}; svcm plan --environment ${environment} says what an apply does:`,
    ...listed.map((line) => `  ${line}`),
    ...doubts,
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

/** More lines are hard to take in. */
const MAX_LINES = 10;

/** The verdict first. If there are too many lines, evidence goes first. */
export function whyLines(response: WhyResponse, nowMs: number): string[] {
  const { app, event, processes, now, errorLines, complete, known } = response;
  const state = [
    ...stateSentences(
      app,
      processes.map(({ state: name, stateReason: reason }) => ({ name, reason })),
    ),
    ...now,
    ...(complete ? [] : ["PM2's log is too large to read whole."]),
  ];
  const head = event === null ? [inLocalTime(known)] : [verdictLine(event, nowMs), ...reasonLines(response)];
  const evidence = event === null ? [] : evidenceLines(event);
  const room = Math.max(1, MAX_LINES - head.length - state.length);
  const lines = [...head, ...evidence.slice(0, room), ...state];
  if (errorLines.length === 0) return lines;
  const left = MAX_LINES - lines.length - 1;
  if (left < 1) return lines;
  return [...lines, "Last lines of its error log:", ...errorLines.slice(-left).map((line) => `  ${line}`)];
}

function timeText({ at, bound }: SvcmEvent): string {
  return bound === undefined ? inLocalTime(at) : `${bound} ${inLocalTime(at)}`;
}

function verdictLine(event: SvcmEvent, nowMs: number): string {
  if (event.bound !== undefined) return `${eventText(event).replace(/\.$/, "")}, ${timeText(event)}.`;
  const ageMs = nowMs - Date.parse(event.at);
  const age = ageMs < 0 ? "" : `, ${renderDuration(ageMs)} ago`;
  return `${eventText(event).replace(/\.$/, "")}${age} (${inLocalTime(event.at)}).`;
}

function reasonLines({ reason, recentEnds }: WhyResponse): string[] {
  return [
    ...(reason === null ? [] : [`  Error log: ${reason}`]),
    ...(recentEnds > 1 ? [`  It ended ${recentEnds} times within 15 minutes without a request.`] : []),
  ];
}

function evidenceLines({ evidence, actor }: SvcmEvent): string[] {
  const isNamed = actor === undefined || evidence.some((sentence) => sentence.includes(actor));
  return [...evidence, ...(isNamed ? [] : [`By ${actor}.`])].map((sentence) => `  ${sentence}`);
}
