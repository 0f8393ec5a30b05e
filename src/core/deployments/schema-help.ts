import { described, type JsonSchema, mapValues, UNSUGGESTED } from "./schema-part.ts";
import { type Fact, groupsOf, type Vocabulary } from "./vocabulary.ts";

/** What a hover tells of the members of a deploy target, from the labels and rows of the facts. */
export function targetHelp(vocabulary: Vocabulary): Record<string, JsonSchema> {
  const { contract, matrix } = vocabulary;
  const groups = groupsOf(vocabulary);
  const byTargets = (values: (group: (typeof groups)[number]) => readonly string[]) =>
    Object.fromEntries(groups.map((group) => [`${group.label} (${group.targets.join(", ")})`, values(group)]));
  const regionRequired = Object.keys(matrix.deployTargets).filter((name) => matrix.deployTargets[name]?.regionRequired);
  return {
    name: described("Name of the deploy target; no other has it, whatever its case."),
    region: described("Where the target is. Where it is self-hosted, host information may stand here.", {
      "Required on": regionRequired,
    }),
    runtime: described("Name and version of the runtime. Free text such as latest is refused: it changes its meaning."),
    serviceType: described(
      "What runs there; what is accepted depends on deployTarget.",
      byTargets(({ serviceTypes }) => serviceTypes),
    ),
    deployTarget: described("Where it runs.", Object.fromEntries(groups.map(({ label, targets }) => [label, targets]))),
    runtimeProtocol: described(
      "Protocol that is asked for; what is accepted depends on serviceType.",
      mapValues(matrix.serviceTypes, ({ protocols }) => protocols),
    ),
    databaseDriver: helpOf(contract, matrix.drivers.database, "Main database driver."),
    keyValueDriver: helpOf(contract, matrix.drivers.keyValue, "Key-value driver."),
    pm2Profile: {
      ...described(
        "PM2 profile: required on PM2-managed targets, refused elsewhere.",
        byTargets(({ pm2Managed }) => (pm2Managed ? matrix.pm2Profiles : [])),
      ),
      ...UNSUGGESTED,
    },
    type: {
      ...described("What a legacy entry calls its deploy target.", aliasesOf(matrix)),
      deprecationMessage: "A legacy entry says type. Say deployTarget, with the metadata of today.",
    },
  };
}

function helpOf({ keys }: Vocabulary["contract"], fact: Fact, otherwise: string): JsonSchema {
  const spec = fact && "key" in fact ? keys[fact.key] : undefined;
  return described(spec ? `${spec.label}. ${spec.help}`.trim() : otherwise);
}

function aliasesOf({ migration }: Vocabulary["matrix"]): Record<string, readonly string[]> {
  return mapValues(migration.deployTargetAliases, (target) => [target]);
}
