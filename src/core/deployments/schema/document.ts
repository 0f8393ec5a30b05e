import { mapValues } from "../../words/record.ts";
import { rolloutSchema } from "../../project/schema.ts";
import { anyCasePattern } from "../../api/names.ts";
import { envSpellings } from "../../project/resolve.ts";
import { interfaceFields, configurationFields, targetFields, type Field } from "../fields.ts";
import { DOCUMENT_VERSION, migrateTarget, targetDefaults } from "../shape.ts";
import { type Vocabulary, portNames, lookup, targetGroups, type Candidate } from "../file.ts";
import {
  describeSchema,
  type JsonSchema,
  TEXT,
  textWith,
  conditional,
  UNSUGGESTED,
  whenMember,
  choice,
  dependent,
  FILLED,
  labelsOf,
} from "../../words/schema-part.ts";
import { MAX_PORT } from "../../words/numbers.ts";

/**
 * JSON Schema (draft-07) for editors. It cannot express that names, adapters and ports are unique.
 * @see CONTRACT section 6
 */
export function documentSchema(vocabulary: Vocabulary): Record<string, unknown> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...describeSchema("The service and its deploy targets: deployments.yaml, checked by `svcm validate`."),
    type: "object",
    additionalProperties: false,
    properties: {
      version: { ...describeSchema("Version of the document."), ...TEXT, const: DOCUMENT_VERSION },
      runtimeEnvironment: environmentSchema(vocabulary),
      serviceConfiguration: configurationSchema(vocabulary),
      interfaces: {
        ...describeSchema("Interface adapters. Two adapters never share a controller, or an entrypoint of one type."),
        type: "array",
        items: {
          ...describeSchema("An interface of the service, and the framework that serves it."),
          ...entrySchema(interfaceFields, vocabulary),
        },
      },
      deployments: {
        ...describeSchema("Deploy targets. Names are unique, ignoring case."),
        type: "array",
        items: targetSchema(vocabulary),
        defaultSnippets: targetSnippets(vocabulary),
      },
      rollout: rolloutSchema(),
    },
  };
}

function environmentSchema({ contract }: Vocabulary): JsonSchema {
  const spellings = [...envSpellings(contract).keys()];
  const anyCase = spellings.map(anyCasePattern).join("|");
  return {
    ...describeSchema("Selected environment. The document never holds its values."),
    anyOf: [{ enum: spellings }, textWith(new RegExp(`^(?:${anyCase})$`), `Accepted: ${spellings.join(", ")}.`)],
  };
}

const PORT_TEXT = /^(?=\d{1,5}$)(?=0*[1-9])(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

const PORT: JsonSchema = {
  type: ["string", "integer"],
  minimum: 1,
  maximum: MAX_PORT,
  pattern: PORT_TEXT.source,
  patternErrorMessage: "Expected an integer from 1 to 65535.",
};

export function configurationSchema(vocabulary: Vocabulary): JsonSchema {
  const { serviceKinds } = vocabulary.matrix;
  const { allOf, properties, ...schema } = entrySchema(configurationFields, vocabulary);
  const bindings = Object.entries(serviceKinds).map(([kind, { ports }]) =>
    conditional(whenMember("serviceKind", [kind]), requirePorts(ports)),
  );
  return {
    ...describeSchema("Kind, run mode, cloud provider and ports of the service."),
    ...schema,
    properties: { ...(properties as JsonSchema), ports: portsSchema(vocabulary.matrix) },
    allOf: [...(allOf as JsonSchema[]), ...bindings],
  };
}

/** Without `type`, because yaml-language-server would suggest it as a member. */
function requirePorts(ports: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(ports.map((port) => [port, PORT]));
  return { required: ["ports"], properties: { ports: { required: ports, properties } } };
}

function portsSchema(matrix: Vocabulary["matrix"]): JsonSchema {
  const about = describeSchema("Port of the listener, an integer from 1 to 65535.");
  const byKind = mapValues(matrix.serviceKinds, ({ ports }) => ports);
  return {
    ...describeSchema("Ports by listener; svcm ignores those that serviceKind does not bind.", byKind),
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(portNames(matrix).map((port) => [port, { ...about, ...UNSUGGESTED }])),
  };
}

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

export function entrySchema(fields: readonly Field[], vocabulary: Vocabulary): JsonSchema {
  return {
    ...objectSchema(fields, vocabulary),
    required: alwaysRequired(fields, vocabulary),
    allOf: decidingFields(fields).flatMap((decider) => dependentRows(fields, decider, vocabulary)),
  };
}

export function objectSchema(fields: readonly Field[], vocabulary: Vocabulary): JsonSchema {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(fields.map((field) => [field.name, memberSchema(fields, field, vocabulary)])),
  };
}

export function dependentRows(fields: readonly Field[], decider: Field, vocabulary: Vocabulary): JsonSchema[] {
  const values = decider.accepted?.({}, vocabulary) ?? [];
  const row = (entry: Candidate): JsonSchema => dependentRow(fields, decider.name, entry, vocabulary);
  return dependent(
    decider.name,
    Object.fromEntries(values.map((value) => [value, row({ [decider.name]: value })])),
    row({}),
  );
}

export function dependentRow(
  fields: readonly Field[],
  decider: string,
  entry: Candidate,
  vocabulary: Vocabulary,
): JsonSchema {
  const always = alwaysRequired(fields, vocabulary);
  const own = fields.filter((field) => field.dependsOn === decider && !always.includes(field.name));
  const required = own.filter(({ name, required: needs }) => needs(entry, vocabulary) && entry[name] === undefined);
  const texts = required.filter(({ accepted }) => !accepted).map(({ name }) => [name, FILLED]);
  const isRequired = (field: Field): boolean => always.includes(field.name) || required.includes(field);
  const choices = fields.flatMap((field) =>
    field.dependsOn === decider && field.accepted
      ? [[field.name, choiceSchema(field, entry, isRequired(field), vocabulary)]]
      : [],
  );
  return {
    required: required.map(({ name }) => name),
    properties: Object.fromEntries(choices),
    ...(texts.length > 0 && { allOf: [{ properties: Object.fromEntries(texts) }] }),
  };
}

export function alwaysRequired(fields: readonly Field[], vocabulary: Vocabulary): string[] {
  return fields
    .filter((field) => decidingCases(fields, field, vocabulary).every((entry) => field.required(entry, vocabulary)))
    .map(({ name }) => name);
}

function decidingFields(fields: readonly Field[]): Field[] {
  return fields.filter(({ name }) => fields.some(({ dependsOn }) => dependsOn === name));
}

function decidingCases(fields: readonly Field[], { dependsOn = "" }: Field, vocabulary: Vocabulary): Candidate[] {
  const values = fields.find(({ name }) => name === dependsOn)?.accepted?.({}, vocabulary) ?? [];
  return [{}, ...values.map((value) => ({ [dependsOn]: value }))];
}

function memberSchema(fields: readonly Field[], field: Field, vocabulary: Vocabulary): JsonSchema {
  const { accepted, dependsOn, emptyIsAbsent, examples = [], format, required } = field;
  const isFilled = !accepted && !format && !dependsOn && required({}, vocabulary);
  return {
    ...(isFilled ? FILLED : TEXT),
    ...describeSchema(helpOf(field, vocabulary), helpRows(fields, field, vocabulary)),
    ...(format && textWith(format.pattern, `Expected ${format.expected}, for example ${examples.join(", ")}.`)),
    ...(format && { examples }),
    ...(accepted && !dependsOn && choiceSchema(field, {}, true, vocabulary)),
    ...(emptyIsAbsent && UNSUGGESTED),
  };
}

function choiceSchema(
  { accepted, emptyIsAbsent, labels, name }: Field,
  entry: Candidate,
  isRequired: boolean,
  vocabulary: Vocabulary,
): JsonSchema {
  const values = accepted?.(entry, vocabulary) ?? [];
  const named = choice(values, labels && labelsOf(labels(vocabulary.matrix)));
  if (!emptyIsAbsent || isRequired) return named;
  const empty = { type: "string", pattern: "^$", patternErrorMessage: `Remove ${name}: it is not accepted here.` };
  return values.length === 0 ? { ...empty, ...UNSUGGESTED } : { anyOf: [named, empty] };
}

function helpOf({ accepted, dependsOn, fact, help }: Field, { contract, matrix }: Vocabulary): string {
  const values = fact?.(matrix);
  const spec = values && "key" in values ? contract.keys[values.key] : undefined;
  if (spec) return `${spec.label}. ${spec.help}`.trim();
  return accepted && dependsOn ? `${help} The accepted values depend on ${dependsOn}.` : help;
}

function helpRows(fields: readonly Field[], field: Field, vocabulary: Vocabulary): Record<string, readonly string[]> {
  const { accepted, dependsOn = "", required } = field;
  const cases = decidingCases(fields, field, vocabulary).slice(1);
  const namesOf = (entries: readonly Candidate[]): string[] => entries.map((entry) => String(entry[dependsOn]));
  if (!accepted)
    return dependsOn ? { "Required on": namesOf(cases.filter((entry) => required(entry, vocabulary))) } : {};
  const rows = new Map<string, Candidate[]>();
  for (const entry of cases) {
    const values = JSON.stringify(accepted(entry, vocabulary));
    rows.set(values, [...(rows.get(values) ?? []), entry]);
  }
  return Object.fromEntries(
    [...rows].map(([values, entries]) => [namesOf(entries).join(", "), JSON.parse(values) as string[]]),
  );
}
