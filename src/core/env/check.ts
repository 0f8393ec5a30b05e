import { sortIssues, type Issue, type Location, type Severity } from "../contract/issue.ts";
import type { KeySpec, RuntimeContract } from "../facts/schema.ts";
import { suggest } from "../report/suggest.ts";
import { parseEnvDocument, unportableLines, type EnvDocument, type EnvEntry, type Span } from "./document.ts";
import { specOf, tierOf } from "./tiers.ts";
import { acceptedValues, listed, valueProblem } from "./values.ts";

/** A rule reads the whole file and returns what it finds; `at` is where, by offset of the text. */
type Rule = (file: CheckedFile) => Finding[];

interface CheckedFile {
  readonly contract: RuntimeContract;
  readonly document: EnvDocument;
  /** Effective entries by key: the ones that every reader takes. */
  readonly effective: ReadonlyMap<string, EnvEntry>;
}

interface Finding extends Pick<Issue, "code" | "message" | "accepted" | "suggestion"> {
  readonly key?: string;
  readonly severity?: Severity;
  readonly span?: Span;
}

const rules: readonly Rule[] = [missingKeys, keyCase, duplicates, values, misspelledKeys, unportable];

/**
 * Checks an env file against the contract: unsupported values, missing keys, duplicates, keys that
 * differ by case, credentials in URLs, lines that readers disagree on. Secrets are never quoted.
 *
 * @param file the name that positions carry
 */
export function checkEnvFile(contract: RuntimeContract, text: string, file: string): Issue[] {
  const document = parseEnvDocument(text);
  const effective = new Map(document.entries.map((entry) => [entry.key, entry]));
  const findings = rules.flatMap((rule) => rule({ contract, document, effective }));
  return sortIssues(findings.map((finding) => toIssue(finding, document, file)));
}

function missingKeys({ contract, effective }: CheckedFile): Finding[] {
  return Object.entries(contract.keys)
    .filter(([key, spec]) => "required" in spec && spec.required === true && !effective.has(key))
    .map(([key, spec]) => {
      const accepted = acceptedValues(spec);
      return { code: "ENV_KEY_MISSING", key, message: `${key} is missing; accepted: ${listed(accepted)}`, accepted };
    });
}

function keyCase({ contract, document }: CheckedFile): Finding[] {
  const byLowerCase = new Map(Object.keys(contract.keys).map((key) => [key.toLowerCase(), key]));
  return document.entries.flatMap((entry): Finding[] => {
    const meant = byLowerCase.get(entry.key.toLowerCase());
    if (meant === undefined || meant === entry.key) return [];
    const message = `${entry.key} differs from ${meant} by case only; no reader takes it for that key`;
    return [{ code: "ENV_KEY_CASE", key: entry.key, span: entry, message, suggestion: meant }];
  });
}

function duplicates({ document, effective }: CheckedFile): Finding[] {
  return document.entries
    .filter((entry) => effective.get(entry.key) !== entry)
    .map((entry) => {
      const last = effective.get(entry.key)?.line ?? entry.line;
      const message = `${entry.key} stands again on line ${last}, which is the one that counts`;
      return { code: "ENV_KEY_DUPLICATE", key: entry.key, span: entry, message };
    });
}

function values({ contract, document }: CheckedFile): Finding[] {
  return document.entries.flatMap((entry): Finding[] => {
    const spec = specOf(contract, entry.key);
    if (!spec) return [];
    const problem = valueProblem(entry.key, spec, entry.value);
    if (!problem || isUnsetOptional(spec, entry.value)) return [];
    return [
      {
        ...(isVisible(contract, entry.key) ? problem : unquoted(entry.key, spec, problem)),
        key: entry.key,
        span: valueSpan(entry),
      },
    ];
  });
}

function misspelledKeys({ contract, document }: CheckedFile): Finding[] {
  const known = Object.keys(contract.keys);
  return document.entries.flatMap(({ key, ...span }): Finding[] => {
    if (!key.startsWith("SVC_") || known.some((name) => name.toLowerCase() === key.toLowerCase())) return [];
    const suggestion = suggest(key, known);
    if (suggestion === undefined) return [];
    return [
      { code: "ENV_KEY_UNKNOWN", severity: "warning", key, span, message: `${key} is not a runtime key`, suggestion },
    ];
  });
}

function unportable({ document }: CheckedFile): Finding[] {
  const strays = new Set(document.strays);
  return unportableLines(document).map((span) =>
    strays.has(span)
      ? {
          code: "ENV_LINE_UNREADABLE",
          span,
          message: "the line assigns nothing; node --env-file may join it to the next one",
        }
      : {
          code: "ENV_LINE_AMBIGUOUS",
          severity: "warning",
          span,
          message: "node --env-file and dotenv may read this line differently",
        },
  );
}

/** A key of the never-exposed tier is described without its value. */
function unquoted(key: string, spec: KeySpec, problem: Finding): Finding {
  const accepted = acceptedValues(spec);
  return { code: problem.code, message: `${key}: the value is not accepted; accepted: ${listed(accepted)}`, accepted };
}

function isVisible(contract: RuntimeContract, key: string): boolean {
  return tierOf(contract, key) !== "never-exposed";
}

function isUnsetOptional(spec: KeySpec, value: string): boolean {
  return value === "" && !("required" in spec && spec.required === true);
}

function valueSpan(entry: EnvEntry): Span {
  return { start: entry.valueStart, end: entry.valueEnd, line: entry.line };
}

function toIssue(
  { code, key, span, severity = "error", ...words }: Finding,
  document: EnvDocument,
  file: string,
): Issue {
  return {
    code,
    severity,
    path: key === undefined ? [] : [key],
    ...words,
    at: span ? locationOf(document, span, file) : { file, line: 1, column: 1 },
  };
}

function locationOf({ text }: EnvDocument, span: Span, file: string): Location {
  const before = text.slice(0, span.start);
  const line = (before.match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return { file, line, column: span.start - lineStart + 1 };
}
