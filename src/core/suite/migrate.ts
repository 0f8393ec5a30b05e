import type { Candidate } from "./rule.ts";
import { entryOf, groupOf, type Vocabulary } from "./vocabulary.ts";

/** A legacy entry is `{ name, type, region, runtime }`: it says `type` where `deployTarget` stands today. */
export function isLegacyTarget(entry: Candidate): boolean {
  return Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "deployTarget");
}

/**
 * A legacy deploy target with today's metadata, nothing lost: `type` becomes `deployTarget` through
 * the alias map, missing metadata takes the defaults of the matrix and the runtime contract. A value
 * that the matrix does not know is kept literally, for the vocabulary rule to flag. Other entries
 * come back as they are.
 *
 * @see the specification, "Versioning" 2
 */
export function migrateTarget(entry: Candidate, vocabulary: Vocabulary): Candidate {
  if (!isLegacyTarget(entry)) return entry;
  const { type, ...kept } = entry;
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
    databaseDriver: defaultOf(vocabulary, matrix.drivers.database.key),
    keyValueDriver: defaultOf(vocabulary, matrix.drivers.keyValue.key),
    ...(group?.pm2Managed && { pm2Profile: matrix.migration.pm2Profile }),
  };
  return Object.fromEntries(
    Object.entries(defaults).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
}

function defaultOf({ contract }: Vocabulary, key: string): string | undefined {
  const spec = contract.keys[key];
  return spec?.kind === "enum" ? spec.default : undefined;
}
