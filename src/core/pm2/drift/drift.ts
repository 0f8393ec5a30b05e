import { compareText } from "../../api/issue.ts";
import type { DriftEntry, DriftField } from "../../api/metrics.ts";
import type { ProcessRecord } from "../process-record.ts";
import { isWithoutPid } from "../problem.ts";
import { driftingKeys, type DriftingKey } from "./drifting-keys.ts";
import type { ExpectedApp } from "./expected.ts";

export interface DriftFacts {
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  readonly modifiedMs: (path: string) => number | undefined;
  /** Keys that the runtime contract shows, so they are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly missingFolders: ReadonlySet<string>;
}

export interface Drift {
  readonly expectedProcessCount: number;
  readonly missingExpected: string[];
  readonly unexpected: string[];
  readonly drift: DriftEntry[];
}

/**
 * Compares the apps of an ecosystem file with PM2's processes: apps by name, then each process field by field. Arguments
 * and environment are compared by digest, and the result never holds their values.
 *
 * @see docs/reference/metrics.md
 */
export function driftOf(facts: DriftFacts): Drift {
  const { expected, running } = facts;
  const byName = groupBy(running, ({ name }) => name);
  const declared = groupBy(expected, ({ name }) => name);
  const missingExpected = [...declared.keys()].filter((name) => !byName.has(name)).toSorted(compareText);
  const unexpected = [...byName.keys()].filter((name) => !declared.has(name)).toSorted(compareText);
  const drift = [
    ...missingExpected.map((name) => wholeApp(name, "missing", [])),
    ...unexpected.map((name) => wholeApp(name, "unexpected", pmIdsOf(byName.get(name) ?? []))),
    ...[...declared].flatMap(([name, apps]) => appDrift(apps, byName.get(name) ?? [], facts)),
  ];
  return { expectedProcessCount: countOf(expected), missingExpected, unexpected, drift: sorted(drift) };
}

function appDrift(apps: readonly ExpectedApp[], processes: readonly ProcessRecord[], facts: DriftFacts): DriftEntry[] {
  const [app] = apps;
  if (app === undefined || processes.length === 0) return [];
  const { name } = app;
  const pmIds = pmIdsOf(processes);
  const count = countOf(apps);
  const instances: DriftEntry[] =
    count === processes.length
      ? []
      : [
          {
            name,
            pmIds,
            field: "instances",
            state: "different",
            key: null,
            declared: count,
            running: processes.length,
          },
        ];
  return [...instances, ...merged(processes.flatMap((record) => processDrift(app, record, facts)))];
}

function processDrift(app: ExpectedApp, record: ProcessRecord, facts: DriftFacts): DriftEntry[] {
  const alike = { name: app.name, pmIds: [record.pmId], key: null, declared: null, running: null };
  const of = (field: DriftField, more: Partial<DriftEntry> = {}): DriftEntry => ({
    ...alike,
    field,
    state: "different",
    ...more,
  });
  const { declaration, startedAt } = record;
  const shown = SHOWN.map(([field, member]) => [field, app[field], record[member]] as const);
  const { argsDigest, interpreterArgsDigest } = declaration;
  const isWrittenSince = (path: string): boolean => startedAt !== null && (facts.modifiedMs(path) ?? 0) > startedAt;
  const isFolderMissing = record.cwd !== null && facts.missingFolders.has(record.cwd);
  return [
    ...(isWithoutPid(record) ? [of("app", { state: "missing" })] : []),
    ...(isFolderMissing ? [of("cwd", { state: "absent", declared: app.cwd, running: record.cwd })] : []),
    ...shown.flatMap(([field, declared, running]) =>
      running === null || isIneffective(field, app, record) || isSame(field, declared, running)
        ? []
        : [of(field, { declared, running })],
    ),
    ...(app.argsDigest === argsDigest ? [] : [of("args")]),
    ...(app.interpreterArgsDigest === interpreterArgsDigest ? [] : [of("interpreterArgs")]),
    ...keyDrift(app, record, facts.visibleKeys).map(({ key, state }) => of("env", { key, state })),
    ...app.envFiles.filter(isWrittenSince).map((path) => of("envFile", { state: "stale", declared: path })),
  ];
}

/** Compares with that of the possible environments which the process matches best. */
function keyDrift(
  { name, environments, openKeys }: ExpectedApp,
  { declaration }: ProcessRecord,
  visibleKeys: ReadonlySet<string>,
): readonly DriftingKey[] {
  const context = { app: name, visibleKeys, openKeys };
  const candidates = environments.map((declared) => driftingKeys(declared, declaration.environment, context));
  return candidates.reduce((best, next) => (next.length < best.length ? next : best), candidates[0] ?? []);
}

/** In cluster mode every worker runs PM2's own Node.js, whatever interpreter PM2 notes. */
function isIneffective(field: DriftField, app: ExpectedApp, { execMode }: ProcessRecord): boolean {
  return field === "interpreter" && app.execMode === "cluster" && execMode === "cluster";
}

/**
 * PM2 notes its Node.js by path instead of `node` for a script with an unknown ending, and its own server for
 * static files by path.
 */
function isSame(field: DriftField, declared: unknown, running: string | boolean): boolean {
  if (field === "script" && SERVER.test(String(declared))) return SERVER.test(String(running));
  if (field === "interpreter" && declared === "node") return /(?:^|\/)node$/.test(String(running));
  return declared === running;
}

const SERVER = /\/pm2\/lib\/API\/Serve\.js$/;

const SHOWN = [
  ["script", "script"],
  ["cwd", "cwd"],
  ["interpreter", "interpreter"],
  ["execMode", "execMode"],
  ["watch", "watching"],
  ["namespace", "namespace"],
] as const satisfies readonly (readonly [DriftField & keyof ExpectedApp, keyof ProcessRecord])[];

function merged(entries: readonly DriftEntry[]): DriftEntry[] {
  const alike = groupBy(entries, (entry) => JSON.stringify({ ...entry, pmIds: [] }));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, pmIds: [first, ...others].flatMap(({ pmIds }) => pmIds) }],
  );
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function wholeApp(name: string, state: "missing" | "unexpected", pmIds: number[]): DriftEntry {
  return { name, pmIds, field: "app", state, key: null, declared: null, running: null };
}

function sorted(entries: readonly DriftEntry[]): DriftEntry[] {
  return entries.toSorted(
    (a, b) => compareText(a.name, b.name) || compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""),
  );
}

function pmIdsOf(processes: readonly ProcessRecord[]): number[] {
  return processes.map(({ pmId }) => pmId).toSorted((a, b) => a - b);
}

function countOf(apps: readonly ExpectedApp[]): number {
  return apps.reduce((sum, { instances }) => sum + instances, 0);
}
