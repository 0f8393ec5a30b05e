import type { Candidate } from "./candidate.ts";
import { targetFields } from "./fields.ts";
import { decidersFirst } from "./field.ts";
import { entryOf, type Vocabulary } from "./vocabulary.ts";

/** A legacy entry is `{ name, type, region, runtime }`: it says `type` where `deployTarget` stands today. */
export function isLegacyTarget(entry: Candidate): boolean {
  return Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "deployTarget");
}

/** Whether `svcm migrate` has something to do: a legacy entry, or an empty PM2 profile, which counts as absent. */
export function isOutdatedTarget(entry: Candidate): boolean {
  return isLegacyTarget(entry) || entry["pm2Profile"] === "";
}

/** An entry as it is if an empty PM2 profile counts as absent. */
export function withoutEmptyProfile<T extends Candidate>(entry: T): Omit<T, "pm2Profile"> {
  if (entry["pm2Profile"] !== "") return entry;
  const { pm2Profile: _, ...kept } = entry;
  return kept;
}

/**
 * A legacy deploy target with today's metadata, nothing lost: `type` becomes `deployTarget` through
 * the alias map, missing metadata takes the defaults of the matrix and the runtime contract. A value
 * that the matrix does not know is kept literally, for the vocabulary rule to flag. An empty PM2 profile is
 * dropped. Other entries come back as they are.
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

/** The metadata that a deploy target gets for what it leaves out. @see fields.ts */
export function targetDefaults(entry: Candidate, vocabulary: Vocabulary): Readonly<Record<string, string>> {
  const defaults: Record<string, string> = {};
  for (const { name, usual } of decidersFirst(targetFields)) {
    const value = usual?.({ ...defaults, ...entry }, vocabulary);
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}
