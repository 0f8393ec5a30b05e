import type { Issue } from "../api/issue.ts";
import type { CodeDoc } from "./rule.ts";
import { describeIssue, linesOf, issuePlace, type Report } from "./report.ts";

export type Rules = Readonly<Record<string, Partial<CodeDoc> & { readonly summary: string }>>;

const LONGEST_WORD = 1000;

/** For GitHub code scanning. It contains no source text, and therefore no secret from it. */
export function renderSarif(report: Report, rules: Rules, { version }: { readonly version: string }): string {
  const codes = [...new Set(report.issues.map(({ code }) => code))].toSorted();
  const lines = linesOf(report.text);
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        // The package has no website for an informationUri.
        tool: { driver: { name: "svcm", version, rules: codes.map((code) => ruleOf(code, rules)) } },
        columnKind: "utf16CodeUnits",
        results: report.issues.map((issue) => resultOf(issue, codes.indexOf(issue.code), report.file, lines)),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function ruleOf(code: string, rules: Rules): object {
  const rule = Object.hasOwn(rules, code) ? rules[code] : undefined;
  const summary = rule?.summary ?? code;
  const explanation = rule?.explanation ?? summary;
  return {
    id: code,
    shortDescription: { text: summary },
    fullDescription: { text: explanation },
    help: { text: rule?.remedy ?? explanation },
  };
}

function resultOf(issue: Issue, ruleIndex: number, file: string, lines: ReturnType<typeof linesOf>): object {
  const place = issuePlace(issue) ?? { file, line: 1, column: 1 };
  const line = place.file === file ? lines.at(place.line) : undefined;
  return {
    ruleId: issue.code,
    ruleIndex,
    level: issue.severity,
    message: { text: describeIssue(issue) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(place.file), uriBaseId: "%SRCROOT%" },
          region: {
            startLine: place.line,
            startColumn: place.column,
            endLine: place.line,
            endColumn: place.column + wordAt(line ?? "", place.column).length,
          },
        },
      },
    ],
    // Without positions, an issue keeps its identity when the lines above it change.
    partialFingerprints: { "svcmIssue/v1": JSON.stringify([issue.code, ...issue.path]) },
  };
}

function wordAt(line: string, column: number): string {
  const rest = line.slice(column - 1, column - 1 + LONGEST_WORD);
  return /^"(?:[^"\\]|\\.)*"|^'[^']*'|^[^\s,[\]{}"']+?(?=:?(?:[\s,[\]{}]|$))/.exec(rest)?.[0] ?? " ";
}

/** The slashes are not encoded. */
function uriOf(file: string): string {
  return file.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
