import type { Field } from "../field.ts";
import type { Candidate } from "../file.ts";
import type { Vocabulary } from "../vocabulary.ts";
import {
  choice,
  dependent,
  describeSchema,
  FILLED,
  type JsonSchema,
  labelsOf,
  TEXT,
  textWith,
  UNSUGGESTED,
} from "../../words/schema-part.ts";

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
