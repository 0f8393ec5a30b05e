import { compareText } from "../api/issue.ts";
import type { DriftEntry, UnknownPart } from "../api/metrics.ts";
import { settingNames } from "../api/names.ts";
import type { PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { groupBy } from "../words/group-by.ts";
import { isWithoutPid } from "../pm2/problem.ts";
import { valueDifferences } from "./compare-values.ts";
import type { ExpectedApp, FileState } from "./expected.ts";
import type { AppliedState } from "./release.ts";
import type { ValuesVerdict } from "../running/values.ts";
import type { Verdicts } from "../running/verdict.ts";
import { unknownParts, verdictDifferences } from "./verdict-parts.ts";

export interface ComparisonInput extends FileState {
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  /** Visible keys are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly appliedApps?: AppliedState["apps"] | undefined;
  /** By PM2's number of the process; absent if neither env files nor Git were read. */
  readonly values?: ReadonlyMap<number, ValuesVerdict> | undefined;
  /** Absent if only the definitions are compared. */
  readonly verdicts?: Verdicts | undefined;
}

export interface Difference extends PlanReason {
  readonly pmIds: readonly number[];
}

export interface Comparison {
  readonly app: ExpectedApp;
  readonly instances: number;
  readonly processes: readonly ProcessRecord[];
  readonly differences: readonly Difference[];
  /** Parts that may differ, too. */
  readonly unknown: readonly UnknownPart[];
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
    const differences = listDifferences(app, instances, processes, input);
    return [{ app, instances, processes, differences, unknown: unknownParts(name, processes, input.verdicts ?? {}) }];
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
  const { declaration } = record;
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
    ...(app.argsDigest === declaration.argsDigest ? [] : [differ("args")]),
    ...(app.interpreterArgsDigest === declaration.interpreterArgsDigest ? [] : [differ("interpreterArgs")]),
    ...valueDifferences(app, record, input).map(({ field, state, ...more }) => differ(field, state, more)),
    ...verdictDifferences(record, input.verdicts ?? {}),
    ...settingDifferences(app, record).map(({ field, ...values }) => differ(field, "different", values)),
  ];
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
