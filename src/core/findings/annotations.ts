import type { Issue } from "../api/issue.ts";
import { type CodeDoc, type Report, describeIssue, indexLines, issueLocation } from "./rule.ts";

export type RuleDocs = Readonly<Record<string, Partial<CodeDoc> & { readonly summary: string }>>;

const MAX_WORD_LENGTH = 1000;

/** For GitHub code scanning. It contains no source text, and therefore no secret from it. */
export function renderSarif(report: Report, rules: RuleDocs, { version }: { readonly version: string }): string {
  const codes = [...new Set(report.issues.map(({ code }) => code))].toSorted();
  const lines = indexLines(report.text);
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "svcm", version, rules: codes.map((code) => ruleDescriptor(code, rules)) } },
        columnKind: "utf16CodeUnits",
        results: report.issues.map((issue) => sarifResult(issue, codes.indexOf(issue.code), report.file, lines)),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function ruleDescriptor(code: string, rules: RuleDocs): object {
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

function sarifResult(issue: Issue, ruleIndex: number, file: string, lines: ReturnType<typeof indexLines>): object {
  const place = issueLocation(issue) ?? { file, line: 1, column: 1 };
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
  const rest = line.slice(column - 1, column - 1 + MAX_WORD_LENGTH);
  return /^"(?:[^"\\]|\\.)*"|^'[^']*'|^[^\s,[\]{}"']+?(?=:?(?:[\s,[\]{}]|$))/.exec(rest)?.[0] ?? " ";
}

function uriOf(file: string): string {
  return file.toWellFormed().split("/").map(encodeURIComponent).join("/");
}

export function renderGithub(report: Report): string {
  return report.issues.map((issue) => command(report, issue)).join("\n");
}

function command(report: Report, issue: Issue): string {
  const place = issueLocation(issue);
  const properties = [
    `file=${escapeProperty(place?.file ?? report.file)}`,
    ...(place ? [`line=${place.line}`, `col=${place.column}`] : []),
    `title=${escapeProperty(issue.code)}`,
  ];
  return `::${issue.severity} ${properties.join(",")}::${escapeData(describeIssue(issue))}`;
}

function escapeData(text: string): string {
  return text.toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
