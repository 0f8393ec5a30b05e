import { MAX_FINDINGS } from "../api/issue.ts";
import type { KeySpec, RuntimeContract } from "../facts/schema.ts";
import { withAccepted, findingsOf, type Finding, type Rule } from "../findings/rule.ts";
import { suggest } from "../words/suggest.ts";
import type { EnvDocument, EnvEntry, Span } from "./document.ts";
import { unportableLines } from "./portable.ts";
import { specOf, tierOf } from "./tiers.ts";
import { expanded, valueProblem } from "./value-rules.ts";
import { acceptedValues } from "./values.ts";

export interface CheckedFile {
  readonly contract: RuntimeContract;
  readonly document: EnvDocument;
  readonly effective: ReadonlyMap<string, EnvEntry>;
  readonly elsewhere: ReadonlySet<string>;
}

export interface EnvFinding extends Finding {
  readonly place?: Place;
}

/** An offset, and the start of a known line at or before it. */
export interface Place {
  readonly start: number;
  readonly line: number;
  readonly offset?: number;
}

type EnvRule = Rule<CheckedFile, EnvFinding>;

const missingKeys: EnvRule = {
  code: "ENV_KEY_MISSING",
  severity: "error",
  summary: "A required key is missing.",
  remedy: "Add it with `svcm env set KEY=VALUE`; the message names the key.",
  *check({ contract, effective, elsewhere }) {
    for (const [key, spec] of Object.entries(contract.keys)) {
      if (!isRequired(spec) || effective.has(key) || elsewhere.has(key)) continue;
      yield { path: [key], ...withAccepted(`${key} is missing`, acceptedValues(spec)) };
    }
  },
};

const keyCase: EnvRule = {
  code: "ENV_KEY_CASE",
  severity: "error",
  summary: "A key differs from a runtime key only in case.",
  remedy: "Write the key as the message spells it; keys in env files are case-sensitive.",
  *check({ contract, document }) {
    const byLowerCase = new Map(Object.keys(contract.keys).map((key) => [key.toLowerCase(), key]));
    for (const { key, start, line } of document.entries) {
      const meant = byLowerCase.get(key.toLowerCase());
      if (meant === undefined || meant === key) continue;
      const message = `${key} differs from ${meant} only by case; no reader treats it as that key`;
      yield { path: [key], place: { start, line }, message, suggestion: meant };
    }
  },
};

const duplicates: EnvRule = {
  code: "ENV_KEY_DUPLICATE",
  severity: "error",
  summary: "A key occurs more than once; the last line counts.",
  remedy: "Delete all lines of the key except the last one.",
  *check({ document, effective }) {
    for (const entry of document.entries) {
      const { key, start, line } = entry;
      const last = effective.get(key);
      if (last === undefined || last === entry) continue;
      yield { path: [key], place: { start, line }, message: `${key} occurs again on line ${last.line}, which counts` };
    }
  },
};

const cutValues: EnvRule = {
  code: "ENV_VALUE_HASH",
  severity: "warning",
  summary: "An unquoted value contains a `#` without a space before it (warning).",
  explanation: "dotenv and `node --env-file` end the value there; python-dotenv, Docker Compose and shells read on.",
  remedy: "If the `#` belongs to the value, quote the value. If it begins a comment, write a space before it.",
  *check({ document: { text, entries } }) {
    for (const entry of entries) {
      const { key, value, valueStart, valueEnd } = entry;
      const isBare = text.slice(valueStart, valueEnd) === value;
      if (!isBare || text[valueEnd] !== "#") continue;
      const message = `${key}: dotenv and node --env-file end the value at the "#", but other readers do not; quote the value, or write a space before the "#" of a comment`;
      yield { path: [key], place: placeOfValue(entry), message };
    }
  },
};

const expandedValues: EnvRule = {
  ...expanded,
  *check({ document }) {
    for (const entry of document.entries) {
      for (const finding of expanded.check(entry)) yield { ...finding, path: [entry.key], place: placeOfValue(entry) };
    }
  },
};

const misspelledKeys: EnvRule = {
  code: "ENV_KEY_UNKNOWN",
  severity: "warning",
  summary: "A key looks like a misspelled runtime key (warning).",
  remedy: "Correct the spelling, or ignore the warning if the key is yours.",
  *check({ contract, document }) {
    const known = Object.keys(contract.keys);
    const inLowerCase = new Set(known.map((key) => key.toLowerCase()));
    const meant = new Map<string, string | undefined>();
    for (const { key, start, line } of document.entries) {
      if (!key.startsWith("SVC_") || inLowerCase.has(key.toLowerCase())) continue;
      // Each lookup compares with every known key.
      if (!meant.has(key) && meant.size < MAX_FINDINGS) meant.set(key, suggest(key, known));
      const suggestion = meant.get(key);
      if (suggestion === undefined) continue;
      yield { path: [key], place: { start, line }, message: `${key} is not a runtime key`, suggestion };
    }
  },
};

const unreadableLines: EnvRule = {
  code: "ENV_LINE_UNREADABLE",
  severity: "error",
  summary: "The line is not an assignment.",
  remedy: "Write `KEY=value`, or put `#` in front of it if it is a comment.",
  *check({ document }) {
    const message = "the line assigns nothing; node --env-file may join it to the next one";
    for (const span of unportable(document, true)) yield { place: spanPlace(span), message };
  },
};

const ambiguousLines: EnvRule = {
  code: "ENV_LINE_AMBIGUOUS",
  severity: "warning",
  summary: "`node --env-file` and dotenv may read the line differently (warning).",
  remedy:
    "Write the line as `KEY=value` without tabs, with single quotes around a value that contains spaces. Save the file without a byte order mark.",
  *check({ document }) {
    const message = "node --env-file and dotenv may read this line differently";
    for (const span of unportable(document, false)) yield { place: spanPlace(span), message };
  },
};

export const rules: readonly EnvRule[] = [
  missingKeys,
  keyCase,
  duplicates,
  cutValues,
  expandedValues,
  misspelledKeys,
  unreadableLines,
  ambiguousLines,
];

export function* fileFindings(file: CheckedFile) {
  yield* valueFindings(file);
  yield* findingsOf(rules, file);
}

function* valueFindings({ contract, document }: CheckedFile) {
  for (const entry of document.entries) {
    const { key, value } = entry;
    const spec = specOf(contract, key);
    const problem = spec && valueProblem(key, spec, value);
    if (!problem || (value === "" && !isRequired(spec))) continue;
    const isHidden = tierOf(contract, key) === "never-exposed";
    const { suggestion: _suggestion, ...words } = problem;
    const shown = isHidden
      ? { ...words, ...withAccepted(`${key}: the value is not accepted`, acceptedValues(spec)) }
      : problem;
    yield { ...shown, place: placeOfValue(entry) };
  }
}

function* unportable(document: EnvDocument, isStray: boolean): Iterable<Span> {
  const strays = new Set(document.strays);
  for (const span of unportableLines(document)) if (strays.has(span) === isStray) yield span;
}

export function isRequired(spec: KeySpec): boolean {
  return "required" in spec && spec.required === true;
}

function spanPlace({ start, line }: Span): Place {
  return { start, line };
}

function placeOfValue({ start, line, valueStart }: EnvEntry): Place {
  return { start, line, offset: valueStart };
}
