import type { Code } from "../../api/codes.generated.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/metrics.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { withheldIssues } from "../rules/file.ts";
import type { Declaration } from "../declaration.ts";
import type { AppliedField, Effect } from "./acting.ts";
import type { AskedApps } from "./asked-apps.ts";
import type { DeclaredRun } from "../../ports/processes.ts";
import { driftOf } from "../../rollout/drift.ts";
import type { Fields } from "../normalise.ts";
import { foldersOf } from "../problem.ts";
import type { ProcessRecord } from "../process-record.ts";
import { pluralize } from "../../words/pluralize.ts";

/** Differences that are gone were applied; the remaining ones are warnings. */
export async function effectOf(
  ports: Ports,
  asked: AskedApps,
  action: ProcessAction,
  before: readonly DriftEntry[] = [],
): Promise<Effect> {
  const { declarations } = asked;
  const unset = [...withheldIssues(asked.withheld), ...declarations.flatMap(unsetWarning)];
  try {
    const now = differences(ports, asked, await ports.processes.list());
    const left = new Set(now.map(keyOf));
    const applied = before.filter((entry) => entry.state !== "missing" && !left.has(keyOf(entry)));
    const warnings = [...unset, ...declarations.flatMap(({ name }) => driftWarnings(name, action, now))];
    return { ...(action !== "start" && { applied: applied.map(asApplied) }), warnings };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const message = `PM2's list could not be read after the action, so differences from the file are not known. ${error.message} Compare again: svcm ecosystem drift`;
    return {
      warnings: [...unset, { code: "PROCESS_DRIFT_UNKNOWN", severity: "warning", path: ["apps"], message }],
    };
  }
}

function keyOf({ name, field, key }: DriftEntry): string {
  return JSON.stringify([name, field, key]);
}

function asApplied({ name, field, key }: DriftEntry): AppliedField {
  return { name, field, key };
}

function unsetWarning({ name, unset }: Declaration): Issue[] {
  if (unset.length === 0) return [];
  const isOne = unset.length === 1;
  const which = `${unset.join(", ")} ${isOne ? "has" : "have"} no value in the environment in which svcm reads the file`;
  const message = `${which}: ${name} was not given ${isOne ? "it" : "them"}, and keeps the value that it had before, if any.`;
  return [warning("PROCESS_VARIABLE_UNSET", name, message)];
}

function driftWarnings(name: string, action: ProcessAction, drift: readonly DriftEntry[]): Issue[] {
  const entries = drift.filter((entry) => entry.name === name);
  const stale = [...new Set(entries.filter(isStale).flatMap(({ key }) => (key === null ? [] : [key])))];
  const count = entries.find(({ field }) => field === "instances");
  const others = entries.filter((entry) => !isStale(entry) && entry !== count);
  const different = [...new Set(others.map(({ field, key }) => (key === null ? field : `${field} ${key}`)))];
  const remedy =
    action === "start"
      ? `To apply the file: svcm process restart ${name} --ecosystem`
      : `PM2 applies that to a new process: svcm process delete ${name}, then svcm process start ${name} --ecosystem`;
  const runs = `${name} still runs with another ${different.join(", ")}. ${remedy}`;
  const scaled = `${name} runs with ${pluralize(Number(count?.running ?? 0), "instance")}, and the file declares ${count?.declared}. To change that: svcm process scale ${name} ${count?.declared}`;
  return [
    ...(stale.length === 0 ? [] : [warning("PROCESS_VARIABLE_STAYED", name, stayedText(stale, remedy))]),
    ...(different.length === 0 ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, runs)]),
    ...(count === undefined ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, scaled)]),
  ];
}

function stayedText(keys: readonly string[], remedy: string): string {
  const them = keys.length === 1 ? "it" : "them";
  return `${keys.join(", ")} stayed in the process: the file no longer declares ${them}. ${remedy}`;
}

function warning(code: Code, name: string, message: string): Issue {
  return { code, severity: "warning", path: ["apps", name], message };
}

/** Env files are not compared, because a restart reads them again. */
export function differences({ stamps }: Ports, asked: AskedApps, list: readonly ProcessRecord[]): DriftEntry[] {
  const running = list.filter(({ name }) => asked.declarations.some((declared) => declared.name === name));
  const missingFolders = stamps.missing(foldersOf(running));
  return driftOf({ ...asked, running, missingFolders, modifiedMs: () => undefined }).drift;
}

/** If several entries match, PM2 uses the last. */
export function declaredRun(ports: Ports, asked: AskedApps, record: ProcessRecord): DeclaredRun {
  const declared = asked.declarations.find(({ name }) => name === record.name);
  const stale = differences(ports, asked, [record]).filter(isStale);
  const { apps = [], folder = "/" } = declared ?? {};
  const env = Object.assign({}, ...apps.map((app) => app["env"])) as Fields;
  return { app: { ...apps.at(-1), env }, folder, drop: stale.flatMap(({ key }) => key ?? []) };
}

function isStale({ field, state }: DriftEntry): boolean {
  return field === "env" && state === "stale";
}
