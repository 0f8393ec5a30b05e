import { mapValues } from "../../words/record.ts";
import { targetFields } from "../fields.ts";
import type { Field } from "../field.ts";
import { migrateTarget, targetDefaults } from "../migrate.ts";
import { lookup, targetGroups, type Vocabulary } from "../vocabulary.ts";
import { alwaysRequired, objectSchema, dependentRow, dependentRows } from "./entry.ts";
import {
  choice,
  conditional,
  dependent,
  describeSchema,
  type JsonSchema,
  TEXT,
  UNSUGGESTED,
} from "../../words/schema-part.ts";

const FIELDS: readonly Field[] = targetFields;

export function targetSchema(vocabulary: Vocabulary): JsonSchema {
  const { properties, ...object } = objectSchema(FIELDS, vocabulary);
  const legacyType = {
    ...TEXT,
    ...describeSchema(
      "Deploy target of a legacy entry.",
      mapValues(vocabulary.matrix.migration.deployTargetAliases, (target) => [target]),
    ),
    deprecationMessage: "This is a legacy entry. Use deployTarget and the fields beside it; svcm migrate does it.",
  };
  return {
    ...object,
    properties: { ...(properties as JsonSchema), type: legacyType },
    ...conditional({ required: ["type"], properties: { deployTarget: false } }, legacySchema(vocabulary), {
      required: alwaysRequired(FIELDS, vocabulary),
      allOf: rowsOf("deployTarget", vocabulary),
    }),
    allOf: rowsOf("serviceType", vocabulary),
  };
}

export function targetSnippets(vocabulary: Vocabulary): JsonSchema[] {
  return targetGroups(vocabulary).map(({ label, targets }) => {
    const [deployTarget] = targets;
    const entry = { deployTarget, ...targetDefaults({ deployTarget }, vocabulary) };
    const stops = FIELDS.map(({ name, accepted, examples = [] }) => ({
      name,
      values: name === "deployTarget" ? targets : (accepted?.(entry, vocabulary) ?? examples.slice(0, 1)),
      isChoice: accepted !== undefined,
    })).filter(({ values }) => values.length > 0);
    const body = stops.map(({ name, values, isChoice }, index) => [name, stop(index + 1, values, isChoice)]);
    return {
      label: `${label} target`,
      description: `A deploy target: ${targets.join(", ")}.`,
      body: Object.fromEntries(body),
    };
  });
}

function stop(number: number, values: readonly string[], isChoice: boolean): string {
  const escaped = values.map((value) => value.replaceAll(/[\\,|}$]/g, String.raw`\$&`)).join(",");
  return isChoice ? `\${${number}|${escaped}|}` : `\${${number}:${escaped}}`;
}

function rowsOf(decider: string, vocabulary: Vocabulary): JsonSchema[] {
  const field = FIELDS.find(({ name }) => name === decider);
  return field ? dependentRows(FIELDS, field, vocabulary) : [];
}

/** The migration adds the fields that a legacy entry does not have. */
function legacySchema(vocabulary: Vocabulary): JsonSchema {
  const { deployTargets, migration } = vocabulary.matrix;
  const types = [...new Set([...Object.keys(deployTargets), ...Object.keys(migration.deployTargetAliases)])];
  const rows = types.map((type) => {
    const migrated = migrateTarget({ type }, vocabulary);
    return [
      type,
      {
        allOf: [
          dependentRow(FIELDS, "deployTarget", migrated, vocabulary),
          serviceTypeRow(migrated["serviceType"], vocabulary),
        ],
      },
    ] as const;
  });
  const migrated = migrateTarget({ type: types[0] }, vocabulary);
  return {
    required: alwaysRequired(FIELDS, vocabulary).filter((field) => migrated[field] === undefined),
    properties: { type: { ...choice(types), ...UNSUGGESTED } },
    allOf: dependent("type", Object.fromEntries(rows), dependentRow(FIELDS, "deployTarget", {}, vocabulary)),
  };
}

/** Without a service type, the migration adds one. */
function serviceTypeRow(serviceType: unknown, { matrix: { serviceTypes } }: Vocabulary): JsonSchema {
  const protocols = lookup(serviceTypes, serviceType)?.protocols ?? [];
  return conditional({ properties: { serviceType: false } }, { properties: { runtimeProtocol: { enum: protocols } } });
}
