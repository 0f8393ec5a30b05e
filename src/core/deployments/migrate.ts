import type { Candidate } from "./candidate.ts";
import { entryOf, type Fact, groupOf, valuesOf, type Vocabulary } from "./vocabulary.ts";

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

/**
 * What a deploy target that leaves its metadata out gets: the first service type that it runs, the first protocol of
 * that type, the default drivers of the runtime contract, and a PM2 profile where it is PM2-managed.
 */
export function targetDefaults(entry: Candidate, vocabulary: Vocabulary): Readonly<Record<string, string>> {
  const { matrix } = vocabulary;
  const group = groupOf(vocabulary, entry["deployTarget"]);
  const serviceType = group?.serviceTypes[0] ?? Object.keys(matrix.serviceTypes)[0];
  const defaults = {
    serviceType,
    runtimeProtocol: entryOf(matrix.serviceTypes, entry["serviceType"] ?? serviceType)?.protocols[0],
    databaseDriver: defaultOf(vocabulary, matrix.drivers.database),
    keyValueDriver: defaultOf(vocabulary, matrix.drivers.keyValue),
    ...(group?.pm2Managed && { pm2Profile: matrix.migration.pm2Profile }),
  };
  return Object.fromEntries(
    Object.entries(defaults).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
}

/** The default of the runtime key that has the values, else the first of them. */
function defaultOf(vocabulary: Vocabulary, fact: Fact): string | undefined {
  const spec = fact && "key" in fact ? vocabulary.contract.keys[fact.key] : undefined;
  return spec?.kind === "enum" ? spec.default : valuesOf(vocabulary, fact)[0];
}
