import { MAX_FINDINGS, sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { toIssue } from "../findings/rule.ts";
import { findingsInFile, type FindingPosition } from "./check-rules.ts";
import { parseEnvDocument, splitLines, type EnvDocument } from "./document.ts";

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
