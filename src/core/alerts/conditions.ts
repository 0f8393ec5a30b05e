import type { AlertRule } from "../api/names.ts";
import type { Issue } from "../api/issue.ts";
import type { HostMetrics, MetricsPayload, ProcessMetrics } from "../api/metrics.ts";
import type { Sample } from "../metrics/telemetry.ts";
import { MISSING, troubleKind } from "./muted.ts";
import { stateText } from "../running/state-text.ts";
import { pluralize } from "../words/text.ts";

export interface Condition {
  readonly rule: AlertRule;
  /** A process, a mount point, an ecosystem file, or PM2. */
  readonly subject: string;
  /** The subject of a mute: a process without its number. */
  readonly app: string;
  /** The kind of trouble. A mute is of some kinds. */
  readonly kind: string;
  /** One sentence with only names and figures. */
  readonly details: string;
}

const GIB = 2 ** 30;
/** A file system is nearly full if it falls below either limit. */
const MIN_FREE = { share: 0.1, bytes: 2 * GIB } as const;

export function findConditions(sample: Sample, growth: ReadonlyMap<string, MemoryGrowth>): Condition[] {
  const disks = sample.payload.host.disk.flatMap(diskConditions);
  if (sample.kind === "host") return [{ ...ofMachine("pm2-away", "PM2"), details: sample.error.details }, ...disks];
  const { payload } = sample;
  return [
    ...offlineConditions(payload),
    ...payload.processes.flatMap(crashLoopConditions),
    ...payload.processes.flatMap(jobConditions),
    ...[...growth].map(([subject, one]) => growthCondition(subject, one)),
    ...disks,
    ...driftConditions(payload),
  ];
}

/** Without PM2, nothing is known of an app; without its file, nothing of what is declared; of a disk, if it cannot be read. */
export function isUnknownIn(
  { kind, payload }: Sample,
  { rule, subject }: Pick<Condition, "rule" | "subject">,
): boolean {
  if (rule === "pm2-away" || rule === "boot") return false;
  if (rule === "disk") return payload.host.disk.some((disk) => disk.path === subject && !("availableBytes" in disk));
  if (kind === "host") return true;
  return (rule === "drift" || rule === "not-online") && payload.ecosystem.error !== undefined;
}

/** One for the machine, because a list that was never saved concerns every app. */
export function bootConditions(issues: readonly Issue[] | undefined): Condition[] {
  const [first] = issues ?? [];
  if (issues === undefined || first === undefined) return [];
  const more = issues.length === 1 ? "" : ` In all, svcm boot has ${issues.length} errors.`;
  return [
    { ...ofMachine("boot", "reboot"), details: `A reboot would not bring back what runs: ${first.message}.${more}` },
  ];
}

function ofMachine<Rule extends AlertRule>(rule: Rule, subject: string) {
  return { rule, subject, app: subject, kind: rule };
}

function ofProcess(process: ProcessMetrics): Pick<Condition, "subject" | "app" | "kind"> {
  return { subject: processLabel(process), app: process.name, kind: troubleKind(process) };
}

/** A crash loop has its own rule. */
function offlineConditions({ ecosystem, processes }: MetricsPayload): Condition[] {
  const { missingExpected, fileName, drift } = ecosystem;
  const missing = missingExpected
    .filter((app) => !processes.some(({ name, state }) => name === app && state === "crash loop"))
    .map((subject) => {
      const own = processes.filter(({ name }) => name === subject);
      const states = [...new Set(own.map(({ state, stateReason }) => stateText({ name: state, reason: stateReason })))];
      const what = own.length === 0 ? "PM2 does not know it" : `it is ${states.join(", ")}`;
      const kind = own[0] === undefined ? MISSING : troubleKind(own[0]);
      return {
        subject,
        app: subject,
        kind,
        details: `${subject} is declared in ${fileName} and does not run: ${what}.`,
      };
    });
  const isDeclared = ({ name, pmId }: ProcessMetrics): boolean =>
    drift.some(
      (entry) =>
        entry.field === "app" && entry.state === "missing" && entry.name === name && entry.pmIds.includes(pmId),
    );
  const single = processes
    .filter((one) => !missingExpected.includes(one.name) && one.state !== "crash loop")
    .filter((one) => isDeclared(one) || DOWN_STATES.has(one.state))
    .map((process) => {
      const { state, stateReason, problem } = process;
      const why = problem === null ? "" : ` ${problem.details}`;
      const label = processLabel(process);
      return {
        ...ofProcess(process),
        details: `${label} is ${stateText({ name: state, reason: stateReason })}.${why}`,
      };
    });
  return [...missing, ...single].map((one) => ({ rule: "not-online", ...one }));
}

/** Also of processes that no file declares. */
const DOWN_STATES: ReadonlySet<ProcessMetrics["state"]> = new Set([
  "errored",
  "given up",
  "missing",
  "not loaded",
  "hung",
]);

const LOOP_CODES: ReadonlySet<string> = new Set(["PROCESS_CRASH_LOOP", "PROCESS_MEMORY_LOOP", "PROCESS_WATCH_LOOP"]);

function crashLoopConditions(process: ProcessMetrics): Condition[] {
  const { problem } = process;
  if (problem === null || !LOOP_CODES.has(problem.code)) return [];
  return [{ rule: "crash-loop", ...describeProblem(process, problem.details) }];
}

function jobConditions(process: ProcessMetrics): Condition[] {
  const { problem } = process;
  if (problem === null || !problem.code.startsWith("JOB_")) return [];
  return [{ rule: "job", ...describeProblem(process, problem.details) }];
}

/** In a chat, the sentence stands alone. */
function describeProblem(process: ProcessMetrics, details: string): Omit<Condition, "rule"> {
  return { ...ofProcess(process), details: `${processLabel(process)}: ${details}` };
}

function growthCondition(subject: string, { bytesPerHour, hoursLeft }: MemoryGrowth): Condition {
  const rate = `${Math.round(bytesPerHour / 2 ** 20)} MiB an hour`;
  const details = `The memory of ${subject} grows by ${rate}. The machine has no memory left in ${pluralize(Math.round(hoursLeft), "hour")}.`;
  return { ...ofMachine("memory-growth", subject), app: subject.replace(/ \(\d+\)$/, ""), details };
}

function diskConditions(disk: HostMetrics["disk"][number]): Condition[] {
  if (!("availableBytes" in disk)) return [];
  const { path, availableBytes, totalBytes } = disk;
  const isFull = availableBytes < totalBytes * MIN_FREE.share || availableBytes < MIN_FREE.bytes;
  if (!isFull || totalBytes === 0) return [];
  const details = `${path} has ${(availableBytes / GIB).toFixed(1)} GiB free of ${(totalBytes / GIB).toFixed(1)} GiB.`;
  return [{ ...ofMachine("disk", path), details }];
}

function driftConditions({ ecosystem }: MetricsPayload): Condition[] {
  const differing = ecosystem.drift.filter(({ state }) => state !== "missing");
  return [...new Set(differing.map(({ name }) => name))].map((subject) => {
    const fields = differing.filter(({ name }) => name === subject).map(({ key, field }) => key ?? field);
    const names = [...new Set(fields)].slice(0, 5).join(", ");
    return { ...ofMachine("drift", subject), details: `${subject} differs from ${ecosystem.fileName}: ${names}.` };
  });
}

interface MemoryGrowth {
  readonly bytesPerHour: number;
  /** Until the machine has no available memory at this rate. */
  readonly hoursLeft: number;
}

interface Point {
  readonly atMs: number;
  readonly bytes: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WINDOW_MS = 6 * HOUR_MS;
const MIN_WINDOW_MS = HOUR_MS;
const HOURS_AHEAD = 24;
/** A straight line must explain this share of the differences. */
const MIN_FIT = 0.8;

function processLabel({ name, pmId }: Pick<ProcessMetrics, "name" | "pmId">): string {
  return `${name} (${pmId})`;
}

export class MemoryTrend {
  readonly #points = new Map<string, Point[]>();

  /** Returns the processes that will use up the memory within a day. */
  add(sample: Sample): ReadonlyMap<string, MemoryGrowth> {
    if (sample.kind === "host") return new Map();
    const { processes, host, collectedAt } = sample.payload;
    const atMs = Date.parse(collectedAt);
    const labels = new Set<string>();
    for (const process of processes) {
      const label = processLabel(process);
      labels.add(label);
      if (process.memoryBytes !== null) this.#addPoint(label, { atMs, bytes: process.memoryBytes });
    }
    for (const label of this.#points.keys()) if (!labels.has(label)) this.#points.delete(label);
    const availableBytes = host.memory.availableBytes ?? Infinity;
    const growing = [...this.#points].flatMap(([label, points]) => {
      const growth = measureGrowth(points, availableBytes);
      return growth === undefined ? [] : [[label, growth] as const];
    });
    return new Map(growing);
  }

  #addPoint(label: string, point: Point): void {
    const points = this.#points.get(label) ?? [];
    this.#points.set(label, points);
    const last = points.at(-1);
    // If the clock was set back, a new series begins.
    if (last !== undefined && point.atMs < last.atMs) points.length = 0;
    else if (last !== undefined && point.atMs - last.atMs < MINUTE_MS) return;
    points.push(point);
    while ((points[0]?.atMs ?? 0) < point.atMs - WINDOW_MS) points.shift();
  }
}

/** `undefined` unless the memory grows steadily and ends within a day. @param points oldest first */
export function measureGrowth(points: readonly Point[], availableBytes: number): MemoryGrowth | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_WINDOW_MS) return undefined;
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs - first.atMs, 0) / points.length;
  const meanBytes = points.reduce((sum, { bytes }) => sum + bytes, 0) / points.length;
  let [covariance, spreadAt, spreadBytes] = [0, 0, 0];
  for (const { atMs, bytes } of points) {
    const [x, y] = [atMs - first.atMs - meanAt, bytes - meanBytes];
    covariance += x * y;
    spreadAt += x * x;
    spreadBytes += y * y;
  }
  const bytesPerHour = (covariance / spreadAt) * HOUR_MS;
  const fit = spreadBytes === 0 ? 0 : covariance ** 2 / (spreadAt * spreadBytes);
  const hoursLeft = availableBytes / bytesPerHour;
  return bytesPerHour > 0 && fit >= MIN_FIT && hoursLeft <= HOURS_AHEAD ? { bytesPerHour, hoursLeft } : undefined;
}
