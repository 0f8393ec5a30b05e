import { MAX_FINDINGS, type Issue, type Severity } from "../api/issue.ts";
import type { KeySpec, RuntimeContract } from "../facts/schema.ts";
import { suggest } from "../words/suggest.ts";
import type { EnvDocument, EnvEntry } from "./document.ts";
import { unportableLines } from "./portable.ts";
import { specOf, tierOf } from "./tiers.ts";
import { acceptedValues, expansionProblem, listed, valueProblem } from "./values.ts";

/** A rule reads the whole file and yields what it finds: who asks decides how much of it is looked for. */
type Rule = (file: CheckedFile) => Iterable<Finding>;

export interface CheckedFile {
  readonly contract: RuntimeContract;
  readonly document: EnvDocument;
  /** Effective entries by key: the ones that every reader takes. */
  readonly effective: ReadonlyMap<string, EnvEntry>;
  /** Keys that another layer of the environment holds. */
  readonly elsewhere: ReadonlySet<string>;
}

export interface Finding extends Pick<Issue, "code" | "message" | "accepted" | "suggestion"> {
  readonly key?: string;
  readonly severity?: Severity;
  readonly place?: Place;
}

/** An offset of the text, behind the start of a line that is known; that start itself if there is none. */
interface Place {
  readonly start: number;
  readonly line: number;
  readonly offset?: number;
}

export const rules: readonly Rule[] = [
  missingKeys,
  keyCase,
  duplicates,
  values,
  cutValues,
  expandedValues,
  misspelledKeys,
  unportable,
];

function* missingKeys({ contract, effective, elsewhere }: CheckedFile): Iterable<Finding> {
  for (const [key, spec] of Object.entries(contract.keys)) {
    if (!("required" in spec) || spec.required !== true || effective.has(key) || elsewhere.has(key)) continue;
    const accepted = acceptedValues(spec);
    yield { code: "ENV_KEY_MISSING", key, message: `${key} is missing; accepted: ${listed(accepted)}`, accepted };
  }
}

function* keyCase({ contract, document }: CheckedFile): Iterable<Finding> {
  const byLowerCase = new Map(Object.keys(contract.keys).map((key) => [key.toLowerCase(), key]));
  for (const { key, start, line } of document.entries) {
    const meant = byLowerCase.get(key.toLowerCase());
    if (meant === undefined || meant === key) continue;
    const message = `${key} differs from ${meant} by case only; no reader takes it for that key`;
    yield { code: "ENV_KEY_CASE", key, place: { start, line }, message, suggestion: meant };
  }
}

function* duplicates({ document, effective }: CheckedFile): Iterable<Finding> {
  for (const entry of document.entries) {
    const { key, start, line } = entry;
    const last = effective.get(key);
    if (last === undefined || last === entry) continue;
    const message = `${key} stands again on line ${last.line}, which is the one that counts`;
    yield { code: "ENV_KEY_DUPLICATE", key, place: { start, line }, message };
  }
}

function* values({ contract, document }: CheckedFile): Iterable<Finding> {
  for (const entry of document.entries) {
    const { key, value } = entry;
    const spec = specOf(contract, key);
    const problem = spec && valueProblem(key, spec, value);
    if (!problem || isUnsetOptional(spec, value)) continue;
    const shown = tierOf(contract, key) === "never-exposed" ? unquoted(key, spec, problem) : problem;
    yield { ...shown, key, place: placeOfValue(entry) };
  }
}

/** A value that dotenv and Node end at a `#` which other readers take for a part of it. */
function* cutValues({ document: { text, entries } }: CheckedFile): Iterable<Finding> {
  for (const entry of entries) {
    const { key, value, valueStart, valueEnd } = entry;
    const isBare = text.slice(valueStart, valueEnd) === value;
    if (!isBare || text[valueEnd] !== "#") continue;
    const message = `${key}: dotenv and node --env-file end the value at the "#", python-dotenv, Docker Compose and shells do not; quote the value, or write a space before the "#" of a comment`;
    yield { code: "ENV_VALUE_HASH", severity: "warning", key, place: placeOfValue(entry), message };
  }
}

function* expandedValues({ document }: CheckedFile): Iterable<Finding> {
  for (const entry of document.entries) {
    const problem = expansionProblem(entry.key, entry.value);
    if (problem) yield { ...problem, severity: "warning", key: entry.key, place: placeOfValue(entry) };
  }
}

/** Each lookup compares with every known key: no more of them than findings can be reported. */
function* misspelledKeys({ contract, document }: CheckedFile): Iterable<Finding> {
  const known = Object.keys(contract.keys);
  const inLowerCase = new Set(known.map((key) => key.toLowerCase()));
  const meant = new Map<string, string | undefined>();
  for (const { key, start, line } of document.entries) {
    if (!key.startsWith("SVC_") || inLowerCase.has(key.toLowerCase())) continue;
    if (!meant.has(key) && meant.size < MAX_FINDINGS) meant.set(key, suggest(key, known));
    const suggestion = meant.get(key);
    if (suggestion === undefined) continue;
    const message = `${key} is not a runtime key`;
    yield { code: "ENV_KEY_UNKNOWN", severity: "warning", key, place: { start, line }, message, suggestion };
  }
}

function* unportable({ document }: CheckedFile): Iterable<Finding> {
  const strays = new Set(document.strays);
  for (const span of unportableLines(document)) {
    const place = { start: span.start, line: span.line };
    yield strays.has(span)
      ? {
          code: "ENV_LINE_UNREADABLE",
          place,
          message: "the line assigns nothing; node --env-file may join it to the next one",
        }
      : {
          code: "ENV_LINE_AMBIGUOUS",
          severity: "warning",
          place,
          message: "node --env-file and dotenv may read this line differently",
        };
  }
}

/** A key of the never-exposed tier is described without its value. */
function unquoted(key: string, spec: KeySpec, { code }: Finding): Finding {
  const accepted = acceptedValues(spec);
  return { code, message: `${key}: the value is not accepted; accepted: ${listed(accepted)}`, accepted };
}

function isUnsetOptional(spec: KeySpec, value: string): boolean {
  return value === "" && !("required" in spec && spec.required === true);
}

function placeOfValue({ start, line, valueStart }: EnvEntry): Place {
  return { start, line, offset: valueStart };
}
