import { omitUndefined } from "../api/omit-undefined.ts";
import { isRecord } from "../words/record.ts";
import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { fieldNames, type Fields } from "./normalise.ts";

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
