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
  const { matrix } = vocabulary;
  const deployTarget = entryOf(matrix.migration.deployTargetAliases, type) ?? type;
  const group = groupOf(vocabulary, deployTarget);
  const serviceType = group?.serviceTypes[0] ?? Object.keys(matrix.serviceTypes)[0];
  const defaults = {
    serviceType,
    runtimeProtocol: entryOf(matrix.serviceTypes, serviceType)?.protocols[0],
    databaseDriver: defaultOf(vocabulary, matrix.drivers.database.key),
    keyValueDriver: defaultOf(vocabulary, matrix.drivers.keyValue.key),
    ...(group?.pm2Managed && { pm2Profile: matrix.migration.pm2Profile }),
  };
  return { ...defaults, ...kept, deployTarget };
}

function defaultOf({ contract }: Vocabulary, key: string): string | undefined {
  const spec = contract.keys[key];
  return spec?.kind === "enum" ? spec.default : undefined;
}
