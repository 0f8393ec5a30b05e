import type { Drift } from "../rollout/drift.ts";

/** The differences between the saved list and the ecosystem file. */
export interface DeclaredDifferences {
  /** Null if nothing was compared. */
  readonly file: string | null;
  /** Why the file could not be compared, if there is one. */
  readonly problem: string | null;
  readonly missing: readonly string[];
  readonly counts: readonly { readonly name: string; readonly declared: number; readonly saved: number }[];
  readonly values: readonly { readonly name: string; readonly keys: readonly string[] }[];
}

export const NOT_COMPARED: DeclaredDifferences = { file: null, problem: null, missing: [], counts: [], values: [] };

/** A start reads these again, so they say nothing about the next one. */
const READ_AT_START = new Set<string>(["app", "envFile", "code", "values", "state", "instances"]);

/** @param drift of the saved list, as if it ran */
export function declaredDifferences(
  drift: Pick<Drift, "drift">,
  names: ReadonlySet<string>,
  file: string,
): DeclaredDifferences {
  const entries = drift.drift.filter(({ state }) => state !== "unexpected");
  const values = new Map<string, string[]>();
  for (const { name, field, key } of entries)
    if (!READ_AT_START.has(field) && names.has(name)) values.set(name, [...(values.get(name) ?? []), key ?? field]);
  return {
    file,
    problem: null,
    missing: entries
      .filter(({ name, field, state }) => field === "app" && state === "missing" && !names.has(name))
      .map(({ name }) => name),
    counts: entries.flatMap(({ name, field, declared, running }) =>
      field === "instances" ? [{ name, declared: Number(declared), saved: Number(running) }] : [],
    ),
    values: [...values].map(([name, keys]) => ({ name, keys: [...new Set(keys)] })),
  };
}
