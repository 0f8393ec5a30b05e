import { migrateTarget } from "./migrate.ts";
import type { Candidate } from "./candidate.ts";
import { isMissing, targetFields } from "./rules/target-required.ts";
import { RUNTIME, RUNTIME_EXAMPLES } from "./rules/target-runtime.ts";
import { targetHelp } from "./schema-help.ts";
import {
  choice,
  condition,
  dependent,
  FILLED,
  type JsonSchema,
  labelsOf,
  mapValues,
  TEXT,
  textWith,
  UNSUGGESTED,
} from "./schema-part.ts";
import { MEMBERS } from "./shape.ts";
import { entryOf, groupOf, valuesOf, type Vocabulary } from "./vocabulary.ts";

/** A deploy target, as its rules judge it; that its name is its own, a schema cannot say. */
export function targetSchema(vocabulary: Vocabulary): JsonSchema {
  const help = targetHelp(vocabulary);
  const forms = formsOf(vocabulary);
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      MEMBERS.deployments.text.map((name) => [name, { ...TEXT, ...help[name], ...forms[name] }]),
    ),
    // An entry without deployTarget that says type is a legacy one.
    ...condition(
      { required: ["type"], properties: { deployTarget: false } },
      legacySchema(vocabulary),
      todaysSchema(vocabulary),
    ),
    allOf: protocolRows(vocabulary),
  };
}

function todaysSchema(vocabulary: Vocabulary): JsonSchema {
  const { deployTargets } = vocabulary.matrix;
  return {
    required: targetFields(vocabulary),
    allOf: dependent(
      "deployTarget",
      mapValues(deployTargets, (_, name) => rowOf(name, vocabulary, ["pm2Profile"])),
      unknownRow(vocabulary),
    ),
  };
}

function formsOf(vocabulary: Vocabulary): Record<string, JsonSchema> {
  const { deployTargets, drivers } = vocabulary.matrix;
  return {
    name: FILLED,
    runtime: {
      ...textWith(RUNTIME, `Expected a name with a version, for example ${RUNTIME_EXAMPLES.join(", ")}.`),
      examples: RUNTIME_EXAMPLES,
    },
    deployTarget: choice(Object.keys(deployTargets), labelsOf(deployTargets)),
    databaseDriver: choice(valuesOf(vocabulary, drivers.database)),
    keyValueDriver: choice(valuesOf(vocabulary, drivers.keyValue)),
  };
}

/** What a deploy target decides: service types, PM2 profile, region. `managed` has to be there where PM2 manages. */
function rowOf(name: string, vocabulary: Vocabulary, managed: readonly string[]): JsonSchema {
  const { deployTargets, pm2Profiles, serviceTypes } = vocabulary.matrix;
  const group = groupOf(vocabulary, name);
  return {
    ...regionRow(deployTargets[name]?.regionRequired === true, group?.pm2Managed ? managed : []),
    properties: {
      serviceType: choice(group?.serviceTypes ?? [], labelsOf(serviceTypes)),
      pm2Profile: profileForm(group?.pm2Managed === true ? pm2Profiles : [], managed.length > 0),
    },
  };
}

/** What holds where the deploy target is none of the matrix. */
function unknownRow({ matrix }: Vocabulary): JsonSchema {
  const { pm2Profiles, serviceTypes, unknownDeployTarget } = matrix;
  return {
    ...regionRow(unknownDeployTarget.regionRequired),
    properties: {
      serviceType: choice(Object.keys(serviceTypes), labelsOf(serviceTypes)),
      pm2Profile: profileForm(pm2Profiles, false),
    },
  };
}

/** An empty profile counts as absent: it may stand where none is required. */
function profileForm(accepted: readonly string[], isRequired: boolean): JsonSchema {
  const empty = {
    type: "string",
    pattern: "^$",
    patternErrorMessage: "Only a PM2-managed target has a PM2 profile. Remove it.",
  };
  if (accepted.length === 0) return { ...empty, ...UNSUGGESTED };
  return isRequired ? choice(accepted) : { anyOf: [choice(accepted), empty] };
}

function regionRow(isRequired: boolean, others: readonly string[] = []): JsonSchema {
  if (!isRequired) return { required: others };
  return { required: ["region", ...others], allOf: [{ properties: { region: FILLED } }] };
}

function protocolRows({ matrix: { protocols, serviceTypes } }: Vocabulary): JsonSchema[] {
  const labels = labelsOf(protocols);
  return dependent(
    "serviceType",
    mapValues(serviceTypes, (type) => ({ properties: { runtimeProtocol: choice(type.protocols, labels) } })),
    { properties: { runtimeProtocol: choice(Object.keys(protocols), labels) } },
  );
}

/** A legacy entry, judged as what it migrates to: it leaves to the migration what it does not say. */
function legacySchema(vocabulary: Vocabulary): JsonSchema {
  const { deployTargets, migration } = vocabulary.matrix;
  const types = [...new Set([...Object.keys(deployTargets), ...Object.keys(migration.deployTargetAliases)])];
  const rows = types.map((type) => {
    const migrated = migrateTarget({ type }, vocabulary);
    const row = rowOf(String(migrated["deployTarget"]), vocabulary, []);
    return [type, { allOf: [row, serviceTypeRow(migrated, vocabulary)] }] as const;
  });
  const [first] = types;
  const migrated = migrateTarget({ type: first }, vocabulary);
  return {
    required: targetFields(vocabulary).filter((field) => isMissing(migrated[field])),
    properties: { type: { ...choice(types), ...UNSUGGESTED } },
    allOf: dependent("type", Object.fromEntries(rows), unknownRow(vocabulary)),
  };
}

/** Of a legacy entry that says the protocol alone, the service type is the migration's. */
function serviceTypeRow({ serviceType }: Candidate, { matrix: { serviceTypes } }: Vocabulary): JsonSchema {
  const protocols = entryOf(serviceTypes, serviceType)?.protocols ?? [];
  return condition({ properties: { serviceType: false } }, { properties: { runtimeProtocol: { enum: protocols } } });
}
