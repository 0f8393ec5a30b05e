import { omitUndefined } from "../api/omit-undefined.ts";
import { isRecord } from "../words/record.ts";
import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { type Fields, fieldNames, normaliseApp } from "./normalise.ts";
import type { Issue } from "../api/issue.ts";
import { type Finding, toIssue } from "../findings/rule.ts";
import { type EcosystemRule, appRule } from "./rules/rule.ts";

const ARGUMENTS = ["args"];
const INTERPRETER_ARGUMENTS: readonly string[] = fieldNames.interpreterArgs;

/** Fields that differ between two runs of the same files depend on the time, on chance, or on the process. */
export function markVolatile(first: LoadedEcosystem, second: LoadedEcosystem): LoadedEcosystem {
  if (first.apps.length !== second.apps.length) return first;
  const apps = first.apps.map((app, index) => {
    const { fields = {}, checks, inherited } = second.apps[index] ?? {};
    return { ...omitUndefined({ checks, inherited }), ...app, volatile: differingFields(app.fields, fields) };
  });
  return { ...omitUndefined({ refusals: second.refusals }), ...first, apps };
}

function differingFields(first: Fields, second: Fields): string[] {
  return differingKeys(first, second).flatMap((field) => {
    const [before, after] = [first[field], second[field]];
    if (!/^env(?:_|$)/.test(field) || !isRecord(before) || !isRecord(after)) return [field];
    return differingKeys(before, after).map((key) => `${field}.${key}`);
  });
}

function differingKeys(first: Fields, second: Fields): string[] {
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return keys.filter((key) => JSON.stringify(first[key]) !== JSON.stringify(second[key]));
}

export interface VolatileParts {
  readonly variables: readonly string[];
  readonly fields: readonly ("args" | "interpreterArgs")[];
  /** Other fields, which svcm cannot leave out of a comparison. */
  readonly others: readonly string[];
}

export function splitVolatile({ volatile = [] }: Pick<LoadedApp, "volatile">): VolatileParts {
  const variables = volatile.flatMap((field) =>
    field === "port" ? ["PORT"] : field.split(".").slice(1).join(".") || [],
  );
  const has = (names: readonly string[]): boolean => names.some((name) => volatile.includes(name));
  return {
    variables: [...new Set(variables)],
    fields: [
      ...(has(ARGUMENTS) ? (["args"] as const) : []),
      ...(has(INTERPRETER_ARGUMENTS) ? (["interpreterArgs"] as const) : []),
    ],
    others: volatile.filter(
      (field) => field !== "port" && !field.includes(".") && ![...ARGUMENTS, ...INTERPRETER_ARGUMENTS].includes(field),
    ),
  };
}

export const volatileValues: EcosystemRule = {
  code: "ECOSYSTEM_VALUE_VOLATILE",
  severity: "warning",
  check: ({ apps }) => volatileFindings(apps),
};

export const volatileFields = appRule({
  code: "ECOSYSTEM_FIELD_VOLATILE",
  severity: "error",
  check: (app) =>
    splitVolatile(app).others.map((field) => ({
      path: [field],
      message: `${field} has another value each time the file runs, so no process can be as declared`,
    })),
});

/** The finding of that rule in a plan. */
export function volatileIssues(apps: readonly LoadedApp[]): Issue[] {
  const { code, severity } = volatileValues;
  const checked = apps.map((app, index) => ({ ...app, index, label: normaliseApp(app.fields).name }));
  return volatileFindings(checked).map((finding) => toIssue({ ...finding, code, severity }));
}

function volatileFindings(
  apps: readonly (LoadedApp & { readonly index: number; readonly label: string })[],
): Finding[] {
  return apps.flatMap((app): Finding[] => {
    const { variables, fields } = splitVolatile(app);
    const path = ["apps", app.index];
    const copied = `${app.label}: its env copies the variables of the shell, so svcm compares only the others`;
    const copies = (app.inherited ?? []).length === 0 ? [] : [{ path, message: copied }];
    const names = [...variables, ...fields.map((field) => (field === "args" ? "args" : "node_args"))];
    if (names.length === 0) return copies;
    const verb = names.length === 1 ? "has another value" : "have other values";
    const message = `${app.label}: ${names.join(", ")} ${verb} each time the file runs, so svcm compares only whether it is there`;
    return [...copies, { path, message }];
  });
}
