import { withAccepted, acceptedText, findingsOf, joinAccepted, toIssue, type Rule } from "../findings/rule.ts";
import type { Issue } from "../api/issue.ts";
import type { EnumSpec, KeySpec } from "../api/facts.ts";
import { suggest } from "../words/suggest.ts";
import { valueSpellings } from "./document.ts";
import {
  acceptedValues,
  CONTROL_CHARACTER,
  isAccepted,
  mayCarryCredentials,
  quoteValue,
  seemsToCarryCredentials,
} from "./runtime-keys.ts";

const MAX_VALUE_LENGTH = 4096;

export interface CheckedValue {
  readonly key: string;
  readonly spec: KeySpec;
  readonly value: string;
}

const controlCharacter: Rule<CheckedValue> = {
  code: "ENV_VALUE_CONTROL_CHARACTER",
  severity: "error",
  check({ key, spec, value }) {
    // svcm never writes a secret, and a private key in quotes has lines.
    const text = spec.kind === "secret" ? value.replaceAll(/[\t\n\r]/g, "") : value;
    if (!CONTROL_CHARACTER.test(text) && value.isWellFormed()) return [];
    return [
      rejectContent(key, spec, `${quoteValue(spec, value)} holds a control character, a line break or broken Unicode`),
    ];
  },
};

const tooLong: Rule<CheckedValue> = {
  code: "ENV_VALUE_TOO_LONG",
  severity: "error",
  check({ key, value }) {
    if (value.length <= MAX_VALUE_LENGTH) return [];
    const what = `${key}: the value has ${value.length} characters`;
    return [{ message: acceptedText(what, `at most ${MAX_VALUE_LENGTH}`) }];
  },
};

const credentials: Rule<CheckedValue> = {
  code: "ENV_VALUE_CREDENTIALS",
  severity: "error",
  check({ key, spec, value }) {
    if (!seemsToCarryCredentials(spec, value) || mayCarryCredentials(spec)) return [];
    return [rejectContent(key, spec, `${quoteValue(spec, value)} carries credentials`)];
  },
};

const unsupported: Rule<CheckedValue> = {
  code: "ENV_VALUE_UNSUPPORTED",
  severity: "error",
  check({ key, spec, value }) {
    if (isAccepted(spec, value)) return [];
    const reasons = spec.kind === "enum" ? (spec.rejected ?? {}) : {};
    const why = Object.hasOwn(reasons, value) ? ` (${reasons[value]})` : "";
    const what = `${key}: unsupported value ${quoteValue(spec, value)}${why}`;
    const suggestion = spec.kind === "enum" ? suggestEnumValue(spec, value) : undefined;
    return [{ ...withAccepted(what, acceptedValues(spec)), suggestion }];
  },
};

const unquotable: Rule<CheckedValue> = {
  code: "ENV_VALUE_UNQUOTABLE",
  severity: "error",
  check({ key, spec, value }) {
    if (valueSpellings(value).length > 0) return [];
    const accepted = acceptedValues(spec);
    const form = "without ' or without `, and without \\ at the end";
    const what = `${key}: no quoting preserves ${quoteValue(spec, value)} for every reader`;
    return [{ message: acceptedText(what, [joinAccepted(accepted), form].filter(Boolean).join(", ")), accepted }];
  },
};

export const expandedVariable: Rule<Pick<CheckedValue, "key" | "value">> = {
  code: "ENV_VALUE_EXPANDED",
  severity: "warning",
  check({ key, value }) {
    if (!/\$(?:\{|[A-Za-z_])/.test(value)) return [];
    const message = `${key}: Bun, Docker Compose and shells expand the name after "$", unlike dotenv and node --env-file; if one of the former reads the file, write the value without "$"`;
    return [{ message }];
  },
};

/** At most one finding for each value: the first rule that applies. */
const acceptanceRules: readonly Rule<CheckedValue>[] = [controlCharacter, tooLong, credentials, unsupported];

// The annotation lets the bundler drop the rules that the console does not use.
export const valueRules = /* @__PURE__ */ acceptanceRules.concat(unquotable, expandedVariable);

/** The message masks the value. @see the specification, "Errors"; CONTRACT section 3, POST rules */
export function valueIssue(key: string, spec: KeySpec, value: string): Issue | undefined {
  return firstIssue(acceptanceRules, { key, spec, value });
}

export function quotingIssue(key: string, spec: KeySpec, value: string): Issue | undefined {
  return firstIssue([unquotable], { key, spec, value });
}

export function expansionIssue(key: string, value: string): Issue | undefined {
  return firstIssue([expandedVariable], { key, value });
}

function firstIssue<Value extends { readonly key: string }>(rules: readonly Rule<Value>[], checked: Value) {
  for (const finding of findingsOf(rules, checked)) return toIssue(finding, [checked.key]);
  return undefined;
}

function rejectContent(key: string, spec: KeySpec, what: string) {
  const accepted = acceptedValues(spec);
  return { message: acceptedText(`${key}: ${what}`, joinAccepted(accepted) || "a value without them"), accepted };
}

function suggestEnumValue(spec: EnumSpec, value: string): string | undefined {
  const alias = Object.entries(spec.aliases ?? {}).find(([name]) => name === value.toLowerCase());
  return alias?.[1] ?? suggest(value, spec.values);
}
