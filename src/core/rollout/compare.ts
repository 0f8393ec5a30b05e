import { compareText } from "../api/issue.ts";
import type { DriftEntry } from "../api/metrics.ts";
import { settingNames } from "../api/names.ts";
import type { PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { groupBy } from "../words/group-by.ts";
import { isWithoutPid } from "../pm2/problem.ts";
import { isInherited } from "../pm2/variable-origin.ts";
import { driftingKeys, type DriftingKey } from "./drifting-keys.ts";
import type { ExpectedApp, FileState } from "./expected.ts";
import type { AppliedApp, AppliedState } from "./release.ts";

export interface ComparisonInput extends FileState {
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  /** Visible keys are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly appliedApps?: AppliedState["apps"] | undefined;
}

export interface Difference extends PlanReason {
  readonly pmIds: readonly number[];
}

export interface Comparison {
  readonly app: ExpectedApp;
  readonly instances: number;
  readonly processes: readonly ProcessRecord[];
  readonly differences: readonly Difference[];
}

/**
 * Compares the apps of a file with the processes of the same names, field by field. Texts are compared by their
 * digests.
 */
export function compareApps(input: ComparisonInput): Comparison[] {
  const byName = groupBy(input.running, ({ name }) => name);
  return [...groupBy(input.expected, ({ name }) => name)].flatMap(([name, [app, ...more]]) => {
    if (app === undefined) return [];
    const processes = byName.get(name) ?? [];
    const instances = [app, ...more].reduce((sum, one) => sum + one.instances, 0);
    return [{ app, instances, processes, differences: listDifferences(app, instances, processes, input) }];
  });
}

function listDifferences(
  app: ExpectedApp,
  instances: number,
  processes: readonly ProcessRecord[],
  input: ComparisonInput,
): Difference[] {
  if (processes.length === 0) return [difference("app", "missing", [])];
  const count = difference("instances", "different", pmIdsOf(processes), {
    declared: instances,
    running: processes.length,
  });
  return [
    ...(instances === processes.length ? [] : [count]),
    ...mergeDifferences(processes.flatMap((record) => compareProcess(app, record, input))),
  ].toSorted((a, b) => compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""));
}

function compareProcess(app: ExpectedApp, record: ProcessRecord, input: ComparisonInput): Difference[] {
  const differ = (
    field: Difference["field"],
    state: Difference["state"] = "different",
    more: Partial<Difference> = {},
  ): Difference => difference(field, state, [record.pmId], more);
  const { declaration, startedAt } = record;
  const isModifiedSinceStart = (path: string): boolean =>
    startedAt !== null && (input.modifiedMs(path) ?? 0) > startedAt;
  const isFolderMissing = record.cwd !== null && input.missingFolders.has(record.cwd);
  return [
    ...(isWithoutPid(record) ? [differ("app", "missing")] : []),
    ...(isStopped(record) ? [differ("app", "stopped")] : []),
    ...(isFolderMissing ? [differ("cwd", "absent", { declared: app.cwd, running: record.cwd })] : []),
    ...DISPLAYED_FIELDS.flatMap(([field, member]) => {
      const [declared, running] = [app[field], record[member]];
      const isEqual = running === null || isIneffective(field, app, record) || isEquivalent(field, declared, running);
      return isEqual ? [] : [differ(field, "different", { declared, running })];
    }),
    ...(isSameText(app.argsDigest, declaration.argsDigest) ? [] : [differ("args")]),
    ...(isSameText(app.interpreterArgsDigest, declaration.interpreterArgsDigest) ? [] : [differ("interpreterArgs")]),
    ...bestKeyDrift(app, record, input).map(({ key, state }) => differ("env", state, { key })),
    ...app.envFiles.filter(isModifiedSinceStart).map((path) => differ("envFile", "stale", { declared: path })),
    ...(app.script === record.script && isModifiedSinceStart(app.script)
      ? [differ("script", "stale", { declared: app.script })]
      : []),
    ...settingDifferences(app, record).map(({ field, ...values }) => differ(field, "different", values)),
  ];
}

/** The digest of a volatile text is empty. */
function isSameText(declared: string, running: string): boolean {
  return declared === "" || declared === running;
}

export function isStopped({ status }: Pick<ProcessRecord, "status">): boolean {
  return status === "stopped" || status === "errored";
}

function settingDifferences({ settings }: ExpectedApp, { declaration }: ProcessRecord) {
  return settingNames.flatMap((field) => {
    const [declared, running] = [settings[field], declaration.settings[field]];
    if (declared === undefined || running === undefined || declared === running) return [];
    const values = [declared, running].some((value) => typeof value === "string") ? {} : { declared, running };
    return [{ field, ...values }];
  });
}

function bestKeyDrift(
  { name, environments, openKeys, volatileKeys, counter }: ExpectedApp,
  record: ProcessRecord,
  { visibleKeys, appliedApps, running }: ComparisonInput,
): readonly DriftingKey[] {
  const context = {
    app: name,
    visibleKeys,
    openKeys,
    volatileKeys,
    formerKeys: formerKeys(appliedApps?.[name], record),
  };
  const position = running.filter((one) => one.name === name && one.pmId < record.pmId).length;
  const candidates = environments.map((declared, index) => {
    const counted = counter?.digests[index]?.[position];
    const own = counter === undefined || counted === undefined ? declared : { ...declared, [counter.key]: counted };
    return driftingKeys(own, record.declaration.environment, context);
  });
  return candidates.reduce((best, next) => (next.length < best.length ? next : best), candidates[0] ?? []);
}

/** A process that was created since may have inherited a variable of that name. */
function formerKeys(applied: AppliedApp | undefined, { uniqueId }: ProcessRecord): readonly string[] {
  if (applied === undefined) return [];
  const { keys, processes } = applied;
  const isSince = processes !== undefined && uniqueId !== null && !processes.includes(uniqueId);
  return isSince ? keys.filter((key) => !isInherited(key)) : keys;
}

/**
 * In cluster mode, every worker runs PM2's own Node.js, whatever interpreter PM2 records. An app without a declared
 * folder keeps the folder in which it was first started.
 */
function isIneffective(field: string, app: ExpectedApp, { execMode }: ProcessRecord): boolean {
  if (field === "cwd") return !app.declaresCwd;
  return field === "interpreter" && app.execMode === "cluster" && execMode === "cluster";
}

/**
 * PM2 records the path of its Node.js for a script with an unknown extension, and that of its file server for static
 * files.
 */
function isEquivalent(field: string, declared: unknown, running: string | boolean): boolean {
  if (field === "script" && STATIC_FILE_SERVER.test(String(declared))) return STATIC_FILE_SERVER.test(String(running));
  if (field === "interpreter" && declared === "node") return /(?:^|\/)node$/.test(String(running));
  return declared === running;
}

const STATIC_FILE_SERVER = /\/pm2\/lib\/API\/Serve\.js$/;

const DISPLAYED_FIELDS = [
  ["script", "script"],
  ["cwd", "cwd"],
  ["interpreter", "interpreter"],
  ["execMode", "execMode"],
  ["watch", "watching"],
  ["namespace", "namespace"],
] as const satisfies readonly (readonly [DriftEntry["field"] & keyof ExpectedApp, keyof ProcessRecord])[];

export function difference(
  field: Difference["field"],
  state: Difference["state"],
  pmIds: readonly number[],
  more: Partial<Difference> = {},
): Difference {
  return { field, state, key: null, declared: null, running: null, pmIds, ...more };
}

function mergeDifferences(differences: readonly Difference[]): Difference[] {
  const alike = groupBy(differences, (entry) => JSON.stringify({ ...entry, pmIds: [] }));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, pmIds: [first, ...others].flatMap(({ pmIds }) => pmIds) }],
  );
}

export function pmIdsOf(processes: readonly ProcessRecord[]): number[] {
  return processes.map(({ pmId }) => pmId).toSorted((a, b) => a - b);
}
