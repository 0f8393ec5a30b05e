/** The parts that an editor schema is made of: draft-07, and what editors read beside it. */
import { HIDDEN } from "../characters.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** No hidden character, and no white space at the ends. */
const VISIBLE = `^(?!.*${HIDDEN.source})(?!\\s)(?!.*\\s$)`;

const VISIBLE_TEXT = "text without hidden characters and without white space at its ends";

/** Any text whose characters can be seen. */
export const TEXT: JsonSchema = { type: "string", pattern: VISIBLE, patternErrorMessage: `Expected ${VISIBLE_TEXT}.` };

/** Text that says something. */
export const FILLED: JsonSchema = textWith(/.*\S/, `Expected ${VISIBLE_TEXT}, not empty.`);

/** Text of a form, whose characters can be seen. */
export function textWith(form: RegExp, patternErrorMessage: string): JsonSchema {
  return { type: "string", pattern: `${VISIBLE}(?=${form.source})`, patternErrorMessage };
}

/** One of some values, each with what it means where that is known. */
export function choice(values: readonly string[], meanings?: Readonly<Record<string, string>>): JsonSchema {
  // Of no values, none is accepted; an empty enum is no schema.
  if (values.length === 0) return { not: {} };
  if (!meanings) return { enum: values };
  return { enum: values, markdownEnumDescriptions: values.map((value) => meanings[value] ?? "") };
}

/** What a hover shows: a sentence, and below it what depends on what. */
export function described(description: string, rows: Readonly<Record<string, readonly string[]>> = {}): JsonSchema {
  const list = Object.entries(rows).map(([name, values]) => `- ${name}: ${codes(values)}`);
  return { description, markdownDescription: [description, ...(list.length > 0 ? ["", ...list] : [])].join("\n") };
}

/** Labels by name, of a record of the matrix. */
export function labelsOf(record: Readonly<Record<string, { readonly label: string }>>): Record<string, string> {
  return mapValues(record, ({ label }) => label);
}

export function mapValues<T, Result>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

/**
 * What members accept by the value of another one. The one form that yaml-language-server completes,
 * checks and explains rightly: such a member lists nothing itself, a row for each value of the other
 * narrows it, and where the other says nothing known, one `else` lists everything. A condition has no
 * `enum`, which a hover would show for the member's own.
 *
 * @param rows what holds, by the value of `other`
 */
export function dependent(
  other: string,
  rows: Readonly<Record<string, JsonSchema>>,
  otherwise: JsonSchema,
): JsonSchema[] {
  return [
    ...Object.entries(rows).map(([value, row]) => condition(where(other, [value]), row)),
    condition(where(other, Object.keys(rows)), undefined, otherwise),
  ];
}

/** What else holds where a test holds, and where it does not. */
export function condition(test: JsonSchema, holds?: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  const branches = { then: holds, else: otherwise }; // oxlint-disable-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: test, ...Object.fromEntries(Object.entries(branches).filter(([, branch]) => branch !== undefined)) };
}

/** For a member that stands in some documents only: the row that lets it stand suggests it. */
export const UNSUGGESTED: JsonSchema = { doNotSuggest: true };

/** Where a member is one of some values; nowhere, where there are none. */
export function where(member: string, values: readonly string[]): JsonSchema {
  const [first, ...others] = values.map((value) => ({ const: value }));
  const one = first && others.length > 0 ? { anyOf: [first, ...others] } : (first ?? false);
  return { required: [member], properties: { [member]: one } };
}

function codes(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ") || "none";
}
