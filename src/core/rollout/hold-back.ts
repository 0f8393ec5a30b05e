import type { Plan } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { appKind } from "../running/code-evidence.ts";
import { isAtRest } from "../running/state.ts";
import { type Comparison, type ComparisonInput, compareApps, needsReplacement } from "./compare.ts";
import { pmIdsOf, type Difference, createAppStep, type DecidedStep, difference } from "./step.ts";
import { ownMember } from "../words/record.ts";
import { placeInRelease } from "../project/state-place.ts";
import { sharedPort, type ExpectedApp } from "./expected.ts";

export type HeldApp = Plan["held"][number] & { readonly why: readonly Difference[] };

interface Parted {
  /** Without the differences of processes that no step may touch. */
  readonly acting: Comparison;
  readonly held: HeldApp | undefined;
}

/**
 * A service that a user stopped stays stopped until a request names it. A task that failed is not run again either: its
 * failure would return the other apps. A job that runs now is not ended for a new definition.
 */
export function holdBack(comparison: Comparison, input: ComparisonInput, isRequested: boolean): Parted {
  const { processes, differences } = comparison;
  const { held, isRunning } = findHeld(comparison, input, isRequested);
  const [first] = held;
  if (first === undefined) return { acting: comparison, held: undefined };
  const isWhole = isRunning || differences.some((one) => needsReplacement(one)) || held.length === processes.length;
  const ids = pmIdsOf(isWhole ? processes : held);
  const split = differences.map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => !ids.includes(pmId)) }));
  return {
    acting: { ...comparison, differences: isWhole ? [] : split.filter(({ pmIds }) => pmIds.length > 0) },
    held: {
      name: comparison.app.name,
      pmIds: ids,
      ...describe(comparison, first, input),
      why: differences
        .map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => ids.includes(pmId)) }))
        .filter(({ pmIds }) => pmIds.length > 0),
    },
  };
}

interface Held {
  readonly held: readonly ProcessRecord[];
  readonly isRunning: boolean;
}

function findHeld(comparison: Comparison, input: ComparisonInput, isRequested: boolean): Held {
  const { kind, processes, differences } = comparison;
  if (differences.length === 0) return { held: [], isRunning: false };
  const running = kind === "job" ? processes.filter(isRunningJob) : [];
  if (running.length > 0) return { held: running, isRunning: true };
  if (isRequested || kind === "job") return { held: [], isRunning: false };
  // With a new definition as well, PM2 takes that one without a run.
  const mayHaveFailed = kind === "task" && differences.every(({ state }) => state === "stopped");
  const isHeld = (record: ProcessRecord): boolean => {
    const { stop, name } = input.stateOf(record, kind);
    return stop !== undefined || (mayHaveFailed && name === "failed");
  };
  return { held: processes.filter(isHeld), isRunning: false };
}

/** A service that became a job is not one yet. */
function isRunningJob(record: ProcessRecord): boolean {
  return !isAtRest(record) && record.pid !== null && appKind(record.declaration.settings) === "job";
}

function describe(
  { kind }: Comparison,
  record: ProcessRecord,
  { stateOf }: ComparisonInput,
): Pick<HeldApp, "state" | "by" | "since"> {
  const { stop, name } = stateOf(record, kind);
  const sinceMs = stop?.atMs ?? record.startedAt ?? record.lastStartAt;
  return {
    state: name === "failed" ? name : stop === undefined ? "running" : "stopped",
    by: stop === undefined ? null : stop.isSvcm ? (stop.actor ?? "svcm") : null,
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
  };
}

/**
 * PM2 takes the definition of a job without a run: at its next time, the schedule starts it. A task that has ended is
 * not run again for a new definition either. Returns `undefined` if the steps of a service are right.
 */
export function createFiniteSteps(comparison: Comparison): DecidedStep[] | undefined {
  const { kind, processes, differences, instances } = comparison;
  if (kind === "service") return undefined;
  if (kind === "task" && (processes.length === 0 || !processes.every(isAtRest))) return undefined;
  if (kind === "task" && differences.every(({ state }) => state === "stopped")) return undefined;
  const step = createAppStep(comparison, "register", differences, processes);
  const endsService = processes.some((one) => !isAtRest(one) && appKind(one.declaration.settings) === "service");
  return [
    {
      ...step,
      pmIds: pmIdsOf(processes),
      instances: { from: processes.length, to: instances },
      disruption: endsService ? "down" : "none",
    },
  ];
}

export type Renames = ReadonlyMap<string, string>;

/**
 * The apps that an apply started and that the file declares under another name: with the same script on the same port,
 * or without any other difference. If a previous name fits two new names, it is not a rename.
 */
export function findRenames(input: ComparisonInput, owned: ReadonlySet<string>): Renames {
  const declared = new Set(input.expected.map(({ name }) => name));
  const runningNames = new Set(input.running.map(({ name }) => name));
  const gone = [...owned].filter((name) => runningNames.has(name) && !declared.has(name));
  const added = [...declared].filter((name) => !runningNames.has(name));
  const pairs = gone.flatMap((from) =>
    added.filter((to) => isSameApp(input, from, to)).map((to): [string, string] => [from, to]),
  );
  return new Map(pairs.filter(([from, to]) => pairs.every((pair) => (pair[0] === from) === (pair[1] === to))));
}

/** PM2's defaults for these contain the name of the app. */
const NAME_DEPENDENT_FIELDS: ReadonlySet<string> = new Set(["errorFile", "logFile", "outFile"]);

function isSameApp(input: ComparisonInput, from: string, to: string): boolean {
  const expected = input.expected.filter(({ name }) => name === to);
  const running = input.running.filter(({ name }) => name === from).map((record) => inReleaseOf(record, expected));
  if (hasSamePort(ownMember(input.appliedApps, from)?.probe?.port, expected, running)) return true;
  const [comparison] = compareApps(applyRenames({ ...input, expected, running }, new Map([[from, to]])));
  return comparison?.differences.every(({ field, key }) => NAME_DEPENDENT_FIELDS.has(field) || key === from) === true;
}

/** A deploy may rename an app, and its paths then differ by the release alone. */
function inReleaseOf(record: ProcessRecord, [app]: readonly ExpectedApp[]): ProcessRecord {
  if (app === undefined) return record;
  return { ...record, script: ofRelease(record.script, app.script), cwd: ofRelease(record.cwd, app.cwd) };
}

function ofRelease<Path extends string | null>(former: Path, now: string): Path | string {
  return former !== null && placeInRelease(former) === placeInRelease(now) ? now : former;
}

/** Two apps cannot run the same script on the same port, so the new one takes the place of the old one. */
function hasSamePort(
  probedPort: number | undefined,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): boolean {
  return expected.some((app) => {
    const port = app.probe?.port ?? app.httpPort;
    const isProbed = (one: ProcessRecord): boolean => port !== null && (probedPort ?? one.httpPort) === port;
    return running.some((one) => one.script === app.script && (isProbed(one) || sharedPort(app, one) !== undefined));
  });
}

/** The input as if the processes already had their new names. */
export function applyRenames(input: ComparisonInput, renames: Renames): ComparisonInput {
  if (renames.size === 0) return input;
  const { appliedApps = {} } = input;
  const moved = [...renames].flatMap(([from, to]) => {
    const applied = ownMember(appliedApps, from);
    return applied === undefined ? [] : [[to, applied] as const];
  });
  return {
    ...input,
    running: input.running.map((record) => ({ ...record, name: renames.get(record.name) ?? record.name })),
    appliedApps: { ...appliedApps, ...Object.fromEntries(moved) },
  };
}

export function addRenameReason(comparison: Comparison, renames: Renames): Comparison {
  const { app, processes, differences } = comparison;
  const former = [...renames].find(([, to]) => to === app.name)?.[0];
  if (former === undefined) return comparison;
  const pmIds = processes.map(({ pmId }) => pmId);
  const why = difference("app", "different", pmIds, { declared: app.name, running: former });
  return { ...comparison, differences: [why, ...differences] };
}
