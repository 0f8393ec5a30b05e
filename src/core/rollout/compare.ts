import { compareText } from "../api/issue.ts";
import type { DriftEntry, UnknownPart } from "../api/drift.ts";
import { runningParts, settingNames } from "../api/names.ts";
import type { PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isPm2Field } from "../pm2/pm2-fields.ts";
import { type AppKind, type Verdict, type Verdicts, appKind } from "../running/code-evidence.ts";
import { type StateOf, isAtRest, isInPlace, stateDoubt } from "../running/state.ts";
import { type Difference, difference, pmIdsOf } from "./step.ts";
import { type ExpectedApp, type FileState, environmentsAt } from "./expected.ts";
import { groupBy, ownMember } from "../words/record.ts";
import { type ValuesFacts, type ValuesVerdict, decideValues, isKnownByContent } from "../running/values.ts";
import { type AppliedState, formerKeys } from "./release.ts";

export interface Comparison {
  readonly app: ExpectedApp;
  readonly kind: AppKind;
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
    const kind = appKind(app.settings);
    const differences = listDifferences(app, instances, processes, input);
    const doubtOf = (record: ProcessRecord) => stateDoubt(input.stateOf(record, kind));
    const unknown = unknownParts(name, processes, input.verdicts ?? {}, doubtOf);
    return [{ app, kind, instances, processes, differences, unknown }];
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
    ...failingDifference(processes, input),
    ...mergeDifferences(processes.flatMap((record) => compareProcess(app, record, input))),
  ].toSorted((a, b) => compareText(a.field, b.field) || compareText(a.key ?? "", b.key ?? ""));
}

/** `declared` counts the processes, `running` those that stay up. */
function failingDifference(processes: readonly ProcessRecord[], { failing }: ComparisonInput): Difference[] {
  const pmIds = pmIdsOf(processes).filter((pmId) => failing?.has(pmId) === true);
  if (pmIds.length === 0) return [];
  const [declared, running] = [processes.length, processes.length - pmIds.length];
  return [difference("app", "failing", pmIds, { declared, running })];
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
    ...(input.failing?.has(record.pmId) === true ? [] : stateDifference(app, record, input)),
    ...(isFolderMissing ? [differ("cwd", "absent", { declared: app.cwd, running: record.cwd })] : []),
    ...DISPLAYED_FIELDS.flatMap(([field, member]) => {
      const [declared, running] = [app[field], record[member]];
      const isEqual = running === null || isIneffective(field, app, record) || isEquivalent(field, declared, running);
      return isEqual ? [] : [differ(field, "different", { declared, running })];
    }),
    ...(isSameText(app.argsDigest, declaration.argsDigest) ? [] : [differ("args")]),
    ...(isSameText(app.interpreterArgsDigest, declaration.interpreterArgsDigest) ? [] : [differ("interpreterArgs")]),
    ...valueDifferences(app, record, input).map(({ field, state, ...more }) => differ(field, state, more)),
    ...verdictDifferences(record, input.verdicts ?? {}),
    ...settingDifferences(app, record).map(({ field, ...values }) => differ(field, "different", values)),
  ];
}

/** `stopped`: a start is enough. `missing`: PM2 would refuse a start, so a restart is needed. */
function stateDifference(app: ExpectedApp, record: ProcessRecord, { stateOf }: ComparisonInput): Difference[] {
  const state = stateOf(record, appKind(app.settings));
  if (isInPlace(state)) return [];
  return [difference("app", isAtRest(record) ? "stopped" : "missing", [record.pmId], { running: state.name })];
}

/** The digest of a volatile text is empty. */
function isSameText(declared: string, running: string): boolean {
  return declared === "" || declared === running;
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

function mergeDifferences(differences: readonly Difference[]): Difference[] {
  const alike = groupBy(differences, (entry) => JSON.stringify({ ...entry, pmIds: [] }));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, pmIds: [first, ...others].flatMap(({ pmIds }) => pmIds) }],
  );
}

/** PM2 applies these only to a new process, whatever its list shows after a restart. */
export function needsReplacement({ field, state, key }: PlanReason): boolean {
  if (field === "execMode" || field === "watch") return true;
  // A variable with the same name has overwritten the field in PM2's record.
  return field === "env" && state === "stale" && key !== null && isPm2Field(key);
}

/** A variable, or an env file of which only the time is known. */
type ValueDifference =
  | { readonly field: "env"; readonly state: "different" | "absent" | "stale"; readonly key: string | null }
  | { readonly field: "envFile"; readonly state: "stale"; readonly declared: string | null };

function valueDifferences(app: ExpectedApp, record: ProcessRecord, input: ComparisonInput): ValueDifference[] {
  const { changes } = input.values?.get(record.pmId) ?? decideWithoutFiles(app, record, input);
  return changes
    .filter((change) => !isKnownByContent(change))
    .map(({ field, state, key, path }) =>
      field === "env" ? { field, state, key } : { field, state: "stale", declared: path },
    );
}

/** Without what was read about the env files, Git and other apps. */
function decideWithoutFiles(
  app: ExpectedApp,
  record: ProcessRecord,
  { visibleKeys, appliedApps, modifiedMs, running }: ComparisonInput,
): ValuesVerdict {
  const { name, openKeys, copiesShell, envFiles } = app;
  const { declaration, startedAt } = record;
  const position = running.filter((one) => one.name === name && one.pmId < record.pmId).length;
  const nothing: ReadonlySet<string> = new Set();
  const files = envFiles.flatMap((path): ValuesFacts["envFiles"] => {
    const time = modifiedMs(path);
    const times = { changedMs: time, modifiedMs: time };
    return time === undefined ? [] : [{ path, name: path, isReadByNode: true, now: {}, recorded: undefined, ...times }];
  });
  return decideValues({
    app: name,
    declaredIn: "the ecosystem file",
    environments: environmentsAt(app, position),
    openKeys,
    copiesShell,
    running: declaration.environment,
    startedAt,
    evidence: {
      formerKeys: formerKeys(ownMember(appliedApps, name), record),
      visibleKeys,
      listedKeys: nothing,
      formerWords: nothing,
      siblings: [],
    },
    envFiles: files,
  });
}

const EXAMINED = ["code", "values"] as const;

export interface VerdictDifference extends PlanReason {
  readonly pmIds: readonly number[];
}

function verdictDifferences({ pmId }: Pick<ProcessRecord, "pmId">, verdicts: Verdicts): VerdictDifference[] {
  return EXAMINED.flatMap((field) => {
    const verdict = verdicts[field]?.get(pmId);
    if (verdict?.verdict !== "changed") return [];
    return verdict.reasons.map(({ key = null, declared = null, running = null, ...reason }) => ({
      field,
      ...reason,
      key,
      declared,
      running,
      pmIds: [pmId],
    }));
  });
}

/** Processes with the same reason share an entry. */
function unknownParts(
  app: string,
  processes: readonly ProcessRecord[],
  verdicts: Verdicts,
  doubtOf: (record: ProcessRecord) => string | undefined,
): UnknownPart[] {
  return runningParts.flatMap((part) => {
    const unknown = processes.flatMap((record) => {
      const reason = part === "state" ? doubtOf(record) : unknownReason(verdicts[part]?.get(record.pmId));
      return reason === undefined ? [] : [{ pmId: record.pmId, reason }];
    });
    return [...groupBy(unknown, ({ reason }) => reason)].map(([reason, alike]) => ({
      app,
      pmIds: alike.map(({ pmId }) => pmId).toSorted((a, b) => a - b),
      part,
      reason,
    }));
  });
}

function unknownReason(verdict: Verdict | undefined): string | undefined {
  return verdict?.verdict === "unknown" ? verdict.reason : undefined;
}

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
  /** PM2's numbers of processes that do not stay up. */
  readonly failing?: ReadonlySet<number> | undefined;
  readonly stateOf: StateOf;
}
