import { HIDDEN } from "./characters.ts";
import { mapValues } from "./record.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const VISIBLE = `^(?!.*${HIDDEN.source})(?!\\s)(?!.*\\s$)`;

const VISIBLE_TEXT = "text without hidden characters and without white space at its ends";

export const TEXT: JsonSchema = { type: "string", pattern: VISIBLE, patternErrorMessage: `Expected ${VISIBLE_TEXT}.` };

export const FILLED: JsonSchema = textWith(/.*\S/, `Expected ${VISIBLE_TEXT}, not empty.`);

export function textWith(form: RegExp, patternErrorMessage: string): JsonSchema {
  return { type: "string", pattern: `${VISIBLE}(?=${form.source})`, patternErrorMessage };
}

export function choice(values: readonly string[], meanings?: Readonly<Record<string, string>>): JsonSchema {
  // A schema with an empty enum is not valid.
  if (values.length === 0) return { not: {} };
  if (!meanings) return { enum: values };
  return { enum: values, markdownEnumDescriptions: values.map((value) => meanings[value] ?? "") };
}

export function describeSchema(
  description: string,
  rows: Readonly<Record<string, readonly string[]>> = {},
): JsonSchema {
  const list = Object.entries(rows).map(
    ([name, values]) => `- ${name}: ${values.map((value) => `\`${value}\``).join(", ") || "none"}`,
  );
  return { description, markdownDescription: [description, ...(list.length > 0 ? ["", ...list] : [])].join("\n") };
}

export function labelsOf(record: Readonly<Record<string, { readonly label: string }>>): Record<string, string> {
  return mapValues(record, ({ label }) => label);
}

/**
 * yaml-language-server completes, checks and explains only this form correctly: the member itself has no list, each row
 * narrows it, and one `else` has the whole list. A condition has no `enum`, because a hover would show it for the
 * member.
 */
export function dependent(
  other: string,
  rows: Readonly<Record<string, JsonSchema>>,
  otherwise: JsonSchema,
): JsonSchema[] {
  return [
    ...Object.entries(rows).map(([value, row]) => conditional(whenMember(other, [value]), row)),
    conditional(whenMember(other, Object.keys(rows)), undefined, otherwise),
  ];
}

export function conditional(test: JsonSchema, holds?: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  const branches = { then: holds, else: otherwise }; // oxlint-disable-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: test, ...Object.fromEntries(Object.entries(branches).filter(([, branch]) => branch !== undefined)) };
}

/** Another row accepts the member and suggests it. */
export const UNSUGGESTED: JsonSchema = { doNotSuggest: true };

export function whenMember(member: string, values: readonly string[]): JsonSchema {
  const [first, ...others] = values.map((value) => ({ const: value }));
  const one = first && others.length > 0 ? { anyOf: [first, ...others] } : (first ?? false);
  return { required: [member], properties: { [member]: one } };
}
