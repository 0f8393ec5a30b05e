import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/metrics.ts";
import type { Declaration } from "../declaration.ts";

/**
 * What an answer says beside its success: variables that had no value where svcm reads the file, and what a process still
 * runs with although the file declares something else.
 *
 * @param drift of the processes after the action
 */
export function warningsOf(declarations: readonly Declaration[], drift: readonly DriftEntry[]): Issue[] {
  return declarations.flatMap(({ name, unset }) => {
    const entries = drift.filter((entry) => entry.name === name && entry.field !== "envFile");
    const stayed = keysOf(entries.filter(({ field, state }) => field === "env" && state === "stale"));
    const others = entries.filter(({ field, state }) => field !== "env" || state !== "stale");
    const different = [...new Set(others.map(({ field, key }) => (key === null ? field : `${field} ${key}`)))];
    return [
      ...(unset.length === 0 ? [] : [warning("PROCESS_VARIABLE_UNSET", name, unsetText(name, unset))]),
      ...(stayed.length === 0 ? [] : [warning("PROCESS_VARIABLE_STAYED", name, stayedText(stayed))]),
      ...(different.length === 0 ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, differentText(name, different))]),
    ];
  });
}

function unsetText(name: string, keys: readonly string[]): string {
  const which = `${keys.join(", ")} ${keys.length === 1 ? "has" : "have"} no value in the environment in which svcm reads the file`;
  return `${which}: ${name} was not given ${keys.length === 1 ? "it" : "them"}, and keeps the value that it had before, if any.`;
}

function stayedText(keys: readonly string[]): string {
  return `${keys.join(", ")} stayed in the process: the file no longer declares ${keys.length === 1 ? "it" : "them"}. PM2 keeps it until the app is deleted and started.`;
}

function differentText(name: string, fields: readonly string[]): string {
  return `A restart applies variables only. ${name} still runs with another ${fields.join(", ")}: PM2 applies that when the app is deleted and started.`;
}

function keysOf(entries: readonly DriftEntry[]): string[] {
  return [...new Set(entries.flatMap(({ key }) => (key === null ? [] : [key])))];
}

function warning(code: string, name: string, message: string): Issue {
  return { code, severity: "warning", path: ["apps", name], message };
}
