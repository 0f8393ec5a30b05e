import type { Candidate } from "./candidate.ts";
import { targetFields } from "./fields.ts";
import { decidersFirst } from "./field.ts";
import { entryOf, type Vocabulary } from "./vocabulary.ts";

/** A legacy entry is `{ name, type, region, runtime }`, with `type` instead of `deployTarget`. */
export function isLegacyTarget(entry: Candidate): boolean {
  return Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "deployTarget");
}

/** True for a legacy entry and for an empty PM2 profile, which counts as absent. */
export function isOutdatedTarget(entry: Candidate): boolean {
  return isLegacyTarget(entry) || entry["pm2Profile"] === "";
}

export function withoutEmptyProfile<T extends Candidate>(entry: T): Omit<T, "pm2Profile"> {
  if (entry["pm2Profile"] !== "") return entry;
  const { pm2Profile: _, ...kept } = entry;
  return kept;
}

/**
 * Gives a legacy deploy target today's metadata: `type` becomes `deployTarget` through the alias map, and missing
 * metadata takes its default. A value that the matrix does not know stays for the vocabulary rule to report. An empty
 * PM2 profile is dropped. Other entries come back unchanged.
 *
 * @see the specification, "Versioning" 2
 */
export function migrateTarget(entry: Candidate, vocabulary: Vocabulary): Candidate {
  const said: Candidate = withoutEmptyProfile(entry);
  if (!isLegacyTarget(said)) return said;
  const { type, ...kept } = said;
  const deployTarget = entryOf(vocabulary.matrix.migration.deployTargetAliases, type) ?? type;
  return { ...targetDefaults({ ...kept, deployTarget }, vocabulary), ...kept, deployTarget };
}

/** The default metadata of the fields that a deploy target leaves out. @see fields.ts */
export function targetDefaults(entry: Candidate, vocabulary: Vocabulary): Readonly<Record<string, string>> {
  const defaults: Record<string, string> = {};
  for (const { name, usual } of decidersFirst(targetFields)) {
    const value = usual?.({ ...defaults, ...entry }, vocabulary);
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}
