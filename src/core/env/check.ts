import { MAX_FINDINGS, sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { toIssue, withAccepted, findingsOf, type Finding, type Rule } from "../findings/rule.ts";
import { parseEnvDocument, splitLines, type EnvDocument, type EnvEntry, type Span } from "./document.ts";
import { suggest } from "../words/suggest.ts";
import { unportableLines } from "./portable.ts";
import { isRequired, specOf, tierOf, acceptedValues } from "./runtime-keys.ts";
import { expandedVariable, valueIssue } from "./value-rules.ts";

/** Never quotes a secret. A missing required key points to the last layer. ENV_TOO_MANY_ISSUES precedes a cut list. */
export function checkEnvFiles(
  contract: RuntimeContract,
  layers: readonly { readonly text: string; readonly fileName: string }[],
): Issue[] {
  const files = layers.map(({ text, fileName }) => ({ fileName, document: parseEnvDocument(text) }));
  const definedKeys = new Set(files.flatMap(({ document }) => document.entries.map(({ key }) => key)));
  const allKeys = new Set(Object.keys(contract.keys));
  const issues = files.flatMap(({ fileName, document }, index) =>
    checkDocument(contract, document, fileName, index === files.length - 1 ? definedKeys : allKeys),
  );
  return issues.slice(0, MAX_FINDINGS + 1);
}

function checkDocument(
  contract: RuntimeContract,
  document: EnvDocument,
  file: string,
  keysElsewhere: ReadonlySet<string>,
): Issue[] {
  const effective = new Map(document.entries.map((entry) => [entry.key, entry]));
  const issues: Issue[] = [];
  const findings = findingsInFile({ contract, document, effective, keysElsewhere });
  for (const { position, ...finding } of findings) {
    if (issues.length === MAX_FINDINGS) return [tooManyIssues(file), ...sortIssues(issues)];
    const at = position ? lineAndColumn(document.text, position) : { line: 1, column: 1 };
    issues.push({ ...toIssue(finding), at: { file, ...at } });
  }
  return sortIssues(issues);
}

function tooManyIssues(file: string): Issue {
  return {
    code: "ENV_TOO_MANY_ISSUES",
    severity: "error",
    path: [],
    message: `the file has more than ${MAX_FINDINGS} findings; correct these first, then check it again`,
    at: { file, line: 1, column: 1 },
  };
}

/** Counting from the start of the text would take quadratic time for many findings. */
function lineAndColumn(text: string, { start, line, offset = start }: FindingPosition) {
  const lines = splitLines(text.slice(start, offset));
  return { line: line + lines.length - 1, column: (lines.at(-1)?.length ?? 0) + 1 };
}

export interface CheckedEnvFile {
  readonly contract: RuntimeContract;
  readonly document: EnvDocument;
  readonly effective: ReadonlyMap<string, EnvEntry>;
  readonly keysElsewhere: ReadonlySet<string>;
}

export interface EnvFinding extends Finding {
  readonly position?: FindingPosition;
}

/** An offset, and the start of a known line at or before it. */
interface FindingPosition {
  readonly start: number;
  readonly line: number;
  readonly offset?: number;
}

type EnvRule = Rule<CheckedEnvFile, EnvFinding>;

const missingKeys: EnvRule = {
  code: "ENV_KEY_MISSING",
  severity: "error",
  *check({ contract, effective, keysElsewhere }) {
    for (const [key, spec] of Object.entries(contract.keys)) {
      if (!isRequired(spec) || effective.has(key) || keysElsewhere.has(key)) continue;
      yield { path: [key], ...withAccepted(`${key} is missing`, acceptedValues(spec)) };
    }
  },
};

const keyCase: EnvRule = {
  code: "ENV_KEY_CASE",
  severity: "error",
  *check({ contract, document }) {
    const byLowerCase = new Map(Object.keys(contract.keys).map((key) => [key.toLowerCase(), key]));
    for (const { key, start, line } of document.entries) {
      const intended = byLowerCase.get(key.toLowerCase());
      if (intended === undefined || intended === key) continue;
      const message = `${key} differs from ${intended} only by case; no reader treats it as that key`;
      yield { path: [key], position: { start, line }, message, suggestion: intended };
    }
  },
};

const duplicates: EnvRule = {
  code: "ENV_KEY_DUPLICATE",
  severity: "error",
  *check({ document, effective }) {
    for (const entry of document.entries) {
      const { key, start, line } = entry;
      const last = effective.get(key);
      if (last === undefined || last === entry) continue;
      yield {
        path: [key],
        position: { start, line },
        message: `${key} occurs again on line ${last.line}, which counts`,
      };
    }
  },
};

const hashInValues: EnvRule = {
  code: "ENV_VALUE_HASH",
  severity: "warning",
  *check({ document: { text, entries } }) {
    for (const entry of entries) {
      const { key, value, valueStart, valueEnd } = entry;
      const isBare = text.slice(valueStart, valueEnd) === value;
      if (!isBare || text[valueEnd] !== "#") continue;
      const message = `${key}: dotenv and node --env-file end the value at the "#", but other readers do not; quote the value, or write a space before the "#" of a comment`;
      yield { path: [key], position: valuePosition(entry), message };
    }
  },
};

const expandedValues: EnvRule = {
  ...expandedVariable,
  *check({ document }) {
    for (const entry of document.entries) {
      for (const finding of expandedVariable.check(entry))
        yield { ...finding, path: [entry.key], position: valuePosition(entry) };
    }
  },
};

const misspelledKeys: EnvRule = {
  code: "ENV_KEY_UNKNOWN",
  severity: "warning",
  *check({ contract, document }) {
    const runtimeKeys = Object.keys(contract.keys);
    const lowerCaseKeys = new Set(runtimeKeys.map((key) => key.toLowerCase()));
    const intended = new Map<string, string | undefined>();
    for (const { key, start, line } of document.entries) {
      if (!key.startsWith("SVC_") || lowerCaseKeys.has(key.toLowerCase())) continue;
      // Each lookup compares with every runtime key.
      if (!intended.has(key) && intended.size < MAX_FINDINGS) intended.set(key, suggest(key, runtimeKeys));
      const suggestion = intended.get(key);
      if (suggestion === undefined) continue;
      yield { path: [key], position: { start, line }, message: `${key} is not a runtime key`, suggestion };
    }
  },
};

const unreadableLines: EnvRule = {
  code: "ENV_LINE_UNREADABLE",
  severity: "error",
  *check({ document }) {
    const message = "the line assigns nothing; node --env-file may join it to the next one";
    for (const span of unportable(document, true)) yield { position: spanPosition(span), message };
  },
};

const ambiguousLines: EnvRule = {
  code: "ENV_LINE_AMBIGUOUS",
  severity: "warning",
  *check({ document }) {
    const message = "node --env-file and dotenv may read this line differently";
    for (const span of unportable(document, false)) yield { position: spanPosition(span), message };
  },
};

export const rules: readonly EnvRule[] = [
  missingKeys,
  keyCase,
  duplicates,
  hashInValues,
  expandedValues,
  misspelledKeys,
  unreadableLines,
  ambiguousLines,
];

function* findingsInFile(file: CheckedEnvFile) {
  yield* valueFindings(file);
  yield* findingsOf(rules, file);
}

function* valueFindings({ contract, document }: CheckedEnvFile) {
  for (const entry of document.entries) {
    const { key, value } = entry;
    const spec = specOf(contract, key);
    const problem = spec && valueIssue(key, spec, value);
    if (!problem || (value === "" && !isRequired(spec))) continue;
    const { suggestion: _suggestion, ...issue } = problem;
    const finding =
      tierOf(contract, key) === "never-exposed"
        ? { ...issue, ...withAccepted(`${key}: the value is not accepted`, acceptedValues(spec)) }
        : problem;
    yield { ...finding, position: valuePosition(entry) };
  }
}

function* unportable(document: EnvDocument, isStray: boolean): Iterable<Span> {
  const strays = new Set(document.strays);
  for (const span of unportableLines(document)) if (strays.has(span) === isStray) yield span;
}

function spanPosition({ start, line }: Span): FindingPosition {
  return { start, line };
}

function valuePosition({ start, line, valueStart }: EnvEntry): FindingPosition {
  return { start, line, offset: valueStart };
}
