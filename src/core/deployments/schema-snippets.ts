import { RUNTIME_EXAMPLES } from "./rules/target-runtime.ts";
import type { JsonSchema } from "./schema-part.ts";
import { groupsOf, valuesOf, type Vocabulary } from "./vocabulary.ts";

/** A deploy target to fill in, one for each group of the matrix. Editors insert them. */
export function targetSnippets(vocabulary: Vocabulary): JsonSchema[] {
  const {
    drivers: { database, keyValue },
    pm2Profiles,
  } = vocabulary.matrix;
  return groupsOf(vocabulary).map(({ label, targets, serviceTypes, pm2Managed }) => {
    const drivers = { databaseDriver: valuesOf(vocabulary, database), keyValueDriver: valuesOf(vocabulary, keyValue) };
    const declared = Object.entries(drivers).filter(([, values]) => values.length > 0);
    const members = {
      name: "$1",
      region: "$2",
      runtime: `\${3:${RUNTIME_EXAMPLES[0]}}`,
      deployTarget: stop(4, targets),
      serviceType: stop(5, serviceTypes),
      runtimeProtocol: stop(6, protocolsOfAll(serviceTypes, vocabulary)),
      ...Object.fromEntries(declared.map(([name, values], index) => [name, stop(7 + index, values)])),
      ...(pm2Managed && { pm2Profile: stop(9, pm2Profiles) }),
    };
    return { label: `${label} target`, description: `A deploy target: ${targets.join(", ")}.`, body: members };
  });
}

function stop(number: number, values: readonly string[]): string {
  return `\${${number}|${values.map((value) => value.replaceAll(/[\\,|]/g, String.raw`\$&`)).join(",")}|}`;
}

/** The protocols that fit whichever service type is taken; those of the first, where none does. */
function protocolsOfAll(serviceTypes: readonly string[], { matrix }: Vocabulary): readonly string[] {
  const [first = [], ...others] = serviceTypes.map((name) => matrix.serviceTypes[name]?.protocols ?? []);
  const common = first.filter((protocol) => others.every((protocols) => protocols.includes(protocol)));
  return common.length > 0 ? common : first;
}
