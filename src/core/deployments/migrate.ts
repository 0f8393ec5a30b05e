import type { Candidate } from "./file.ts";
import { targetFields, sortByDependency } from "./fields.ts";
import { lookup, type Vocabulary } from "./vocabulary.ts";

/** A legacy entry is `{ name, type, region, runtime }`, with `type` instead of `deployTarget`. */
export function isLegacyTarget(entry: Candidate): boolean {
  return Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "deployTarget");
}

/** An empty PM2 profile is treated as absent. */
export function isOutdatedTarget(entry: Candidate): boolean {
  return isLegacyTarget(entry) || entry["pm2Profile"] === "";
}

export function withoutEmptyProfile<T extends Candidate>(entry: T): Omit<T, "pm2Profile"> {
  if (entry["pm2Profile"] !== "") return entry;
  const { pm2Profile: _, ...rest } = entry;
  return rest;
}

/**
 * Missing metadata gets its default. Values that the matrix does not have stay, and the vocabulary rule reports them.
 * @see the specification, "Versioning" 2
 */
export function migrateTarget(entry: Candidate, vocabulary: Vocabulary): Candidate {
  const target: Candidate = withoutEmptyProfile(entry);
  if (!isLegacyTarget(target)) return target;
  const { type, ...rest } = target;
  const deployTarget = lookup(vocabulary.matrix.migration.deployTargetAliases, type) ?? type;
  return { ...targetDefaults({ ...rest, deployTarget }, vocabulary), ...rest, deployTarget };
}

export function targetDefaults(entry: Candidate, vocabulary: Vocabulary): Readonly<Record<string, string>> {
  const defaults: Record<string, string> = {};
  for (const { name, defaultValue } of sortByDependency(targetFields)) {
    const value = defaultValue?.({ ...defaults, ...entry }, vocabulary);
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}
