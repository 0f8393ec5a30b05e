import { ownMember } from "../words/record.ts";
import { settingNames } from "../api/names.ts";
import { compareText } from "../api/issue.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isShellVariable } from "../pm2/variable-origin.ts";
import { groupBy } from "../words/lists.ts";
import { appKind } from "../running/verdict.ts";
import { isStopped } from "../running/state.ts";

export interface SavedDifference {
  readonly name: string;
  /** `missing` and `extra` are said of the saved list; `starts` and `rests` of a reboot. */
  readonly kind: "missing" | "extra" | "count" | "values" | "starts" | "rests";
  readonly saved: number;
  readonly running: number;
  /** Names of variables and fields; never a value. */
  readonly keys: readonly string[];
}

/** Compares what a reboot would start with what runs, app by app. The order of the processes of an app counts. */
export function compareSaved(saved: readonly ProcessRecord[], running: readonly ProcessRecord[]): SavedDifference[] {
  const [savedByName, runningByName] = [groupBy(saved, nameOf), groupBy(running, nameOf)];
  const names = new Set([...savedByName.keys(), ...runningByName.keys()]);
  return [...names]
    .toSorted(compareText)
    .flatMap((name) => compareApp(name, savedByName.get(name) ?? [], runningByName.get(name) ?? []));
}

function nameOf({ name }: ProcessRecord): string {
  return name;
}

function compareApp(
  name: string,
  saved: readonly ProcessRecord[],
  running: readonly ProcessRecord[],
): SavedDifference[] {
  const counts = { name, saved: saved.length, running: running.length, keys: [] };
  if (saved.length === 0) return [{ ...counts, kind: "missing" }];
  if (running.length === 0) return [{ ...counts, kind: "extra" }];
  const pairs = saved.flatMap((one, index) => (running[index] === undefined ? [] : [[one, running[index]] as const]));
  const keys = [...new Set(pairs.flatMap(([one, other]) => differentKeys(one, other)))].toSorted(compareText);
  const starts = pairs.filter(
    ([one, now]) => one.status !== "stopped" && now.status === "stopped" && isService(now),
  ).length;
  const rests = pairs.filter(([one, now]) => one.status === "stopped" && !isStopped(now) && isService(now)).length;
  return [
    ...(saved.length === running.length ? [] : [{ ...counts, kind: "count" as const }]),
    ...(keys.length === 0 ? [] : [{ ...counts, kind: "values" as const, keys }]),
    ...(starts === 0 ? [] : [{ ...counts, kind: "starts" as const, saved: starts }]),
    ...(rests === 0 ? [] : [{ ...counts, kind: "rests" as const, saved: rests }]),
  ];
}

/** A job or task rests whenever it does not run. */
function isService({ declaration }: ProcessRecord): boolean {
  return appKind(declaration.settings) === "service";
}

const FIELDS = ["script", "cwd", "interpreter", "execMode", "namespace", "cronRestart", "watching"] as const;

function differentKeys(saved: ProcessRecord, running: ProcessRecord): string[] {
  const [a, b] = [saved.declaration, running.declaration];
  const variables = new Set([...Object.keys(a.environment), ...Object.keys(b.environment)]);
  return [
    ...[...variables].filter(
      (key) => !isPerRun(key) && ownMember(a.environment, key) !== ownMember(b.environment, key),
    ),
    ...FIELDS.filter((field) => saved[field] !== running[field]),
    ...(a.argsDigest === b.argsDigest ? [] : ["args"]),
    ...(a.interpreterArgsDigest === b.interpreterArgsDigest ? [] : ["interpreterArgs"]),
    ...settingNames.filter((field) => field !== "cronRestart" && a.settings[field] !== b.settings[field]),
  ];
}

/** PM2 gives each run its own, or the shell that started it does. */
function isPerRun(key: string): boolean {
  return key === "unique_id" || key === "NODE_APP_INSTANCE" || isShellVariable(key);
}
