import type { Code } from "../../api/codes.generated.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/metrics.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { Declaration } from "../declaration.ts";
import { driftOf } from "../../rollout/drift.ts";
import { foldersOf } from "../problem.ts";
import type { AskedApps } from "./asked-apps.ts";

export async function warningsAfter(ports: Ports, asked: AskedApps): Promise<Issue[]> {
  const { declarations } = asked;
  const unset = declarations.flatMap(unsetWarning);
  try {
    const running = (await ports.processes.list()).filter(({ name }) =>
      declarations.some((declared) => declared.name === name),
    );
    const missingFolders = ports.stamps.missing(foldersOf(running));
    const { drift } = driftOf({ ...asked, running, missingFolders, modifiedMs: () => undefined });
    return [...unset, ...declarations.flatMap(({ name }) => driftWarnings(name, drift))];
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const message = `PM2's list could not be read after the action, so differences from the file are not known. ${error.message} Compare again: svcm ecosystem drift`;
    return [...unset, { code: "PROCESS_DRIFT_UNKNOWN", severity: "warning", path: ["apps"], message }];
  }
}

function unsetWarning({ name, unset }: Declaration): Issue[] {
  if (unset.length === 0) return [];
  const isOne = unset.length === 1;
  const which = `${unset.join(", ")} ${isOne ? "has" : "have"} no value in the environment in which svcm reads the file`;
  const message = `${which}: ${name} was not given ${isOne ? "it" : "them"}, and keeps the value that it had before, if any.`;
  return [warning("PROCESS_VARIABLE_UNSET", name, message)];
}

function driftWarnings(name: string, drift: readonly DriftEntry[]): Issue[] {
  const entries = drift.filter((entry) => entry.name === name && entry.field !== "envFile");
  const stale = [...new Set(entries.filter(isStale).flatMap(({ key }) => (key === null ? [] : [key])))];
  const others = entries.filter((entry) => !isStale(entry));
  const different = [...new Set(others.map(({ field, key }) => (key === null ? field : `${field} ${key}`)))];
  return [
    ...(stale.length === 0 ? [] : [warning("PROCESS_VARIABLE_STAYED", name, stayedText(stale))]),
    ...(different.length === 0 ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, differentText(name, different))]),
  ];
}

function isStale({ field, state }: DriftEntry): boolean {
  return field === "env" && state === "stale";
}

function stayedText(keys: readonly string[]): string {
  const them = keys.length === 1 ? "it" : "them";
  return `${keys.join(", ")} stayed in the process: the file no longer declares ${them}. PM2 keeps ${them} until the app is deleted and started.`;
}

function differentText(name: string, fields: readonly string[]): string {
  return `A restart applies variables only. ${name} still runs with another ${fields.join(", ")}: PM2 applies that when the app is deleted and started.`;
}

function warning(code: Code, name: string, message: string): Issue {
  return { code, severity: "warning", path: ["apps", name], message };
}
