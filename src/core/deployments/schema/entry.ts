import type { Field } from "../field.ts";
import type { Candidate } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import {
  choice,
  dependent,
  described,
  FILLED,
  type JsonSchema,
  labelsOf,
  TEXT,
  textWith,
  UNSUGGESTED,
} from "./part.ts";

export function entrySchema(fields: readonly Field[], vocabulary: Vocabulary): JsonSchema {
  return {
    ...objectSchema(fields, vocabulary),
    required: alwaysRequired(fields, vocabulary),
    allOf: decidersOf(fields).flatMap((decider) => rowsBy(fields, decider, vocabulary)),
  };
}

export function objectSchema(fields: readonly Field[], vocabulary: Vocabulary): JsonSchema {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(fields.map((field) => [field.name, memberSchema(fields, field, vocabulary)])),
  };
}

export function rowsBy(fields: readonly Field[], decider: Field, vocabulary: Vocabulary): JsonSchema[] {
  const values = decider.accepted?.({}, vocabulary) ?? [];
  const row = (entry: Candidate): JsonSchema => rowOf(fields, decider.name, entry, vocabulary);
  return dependent(
    decider.name,
    Object.fromEntries(values.map((value) => [value, row({ [decider.name]: value })])),
    row({}),
  );
}

export function rowOf(fields: readonly Field[], by: string, entry: Candidate, vocabulary: Vocabulary): JsonSchema {
  const always = alwaysRequired(fields, vocabulary);
  const own = fields.filter((field) => field.by === by && !always.includes(field.name));
  const required = own.filter(({ name, required: needs }) => needs(entry, vocabulary) && entry[name] === undefined);
  const texts = required.filter(({ accepted }) => !accepted).map(({ name }) => [name, FILLED]);
  const isRequired = (field: Field): boolean => always.includes(field.name) || required.includes(field);
  const choices = fields.flatMap((field) =>
    field.by === by && field.accepted ? [[field.name, choiceOf(field, entry, isRequired(field), vocabulary)]] : [],
  );
  return {
    required: required.map(({ name }) => name),
    properties: Object.fromEntries(choices),
    ...(texts.length > 0 && { allOf: [{ properties: Object.fromEntries(texts) }] }),
  };
}

export function alwaysRequired(fields: readonly Field[], vocabulary: Vocabulary): string[] {
  return fields
    .filter((field) => casesOf(fields, field, vocabulary).every((entry) => field.required(entry, vocabulary)))
    .map(({ name }) => name);
}

function decidersOf(fields: readonly Field[]): Field[] {
  return fields.filter(({ name }) => fields.some(({ by }) => by === name));
}

function casesOf(fields: readonly Field[], { by = "" }: Field, vocabulary: Vocabulary): Candidate[] {
  const values = fields.find(({ name }) => name === by)?.accepted?.({}, vocabulary) ?? [];
  return [{}, ...values.map((value) => ({ [by]: value }))];
}

function memberSchema(fields: readonly Field[], field: Field, vocabulary: Vocabulary): JsonSchema {
  const { accepted, by, emptyIsAbsent, examples = [], form, required } = field;
  const isFilled = !accepted && !form && !by && required({}, vocabulary);
  return {
    ...(isFilled ? FILLED : TEXT),
    ...described(helpOf(field, vocabulary), helpRows(fields, field, vocabulary)),
    ...(form && textWith(form.pattern, `Expected ${form.expected}, for example ${examples.join(", ")}.`)),
    ...(form && { examples }),
    ...(accepted && !by && choiceOf(field, {}, true, vocabulary)),
    ...(emptyIsAbsent && UNSUGGESTED),
  };
}

function choiceOf(
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

function helpOf({ accepted, by, fact, help }: Field, { contract, matrix }: Vocabulary): string {
  const values = fact?.(matrix);
  const spec = values && "key" in values ? contract.keys[values.key] : undefined;
  if (spec) return `${spec.label}. ${spec.help}`.trim();
  return accepted && by ? `${help} The accepted values depend on ${by}.` : help;
}

function helpRows(fields: readonly Field[], field: Field, vocabulary: Vocabulary): Record<string, readonly string[]> {
  const { accepted, by = "", required } = field;
  const cases = casesOf(fields, field, vocabulary).slice(1);
  const namesOf = (entries: readonly Candidate[]): string[] => entries.map((entry) => String(entry[by]));
  if (!accepted) return by ? { "Required on": namesOf(cases.filter((entry) => required(entry, vocabulary))) } : {};
  const rows = new Map<string, Candidate[]>();
  for (const entry of cases) {
    const values = JSON.stringify(accepted(entry, vocabulary));
    rows.set(values, [...(rows.get(values) ?? []), entry]);
  }
  return Object.fromEntries(
    [...rows].map(([values, entries]) => [namesOf(entries).join(", "), JSON.parse(values) as string[]]),
  );
}
