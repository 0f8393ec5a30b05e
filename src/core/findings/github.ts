import type { Issue } from "../api/issue.ts";
import { describeIssue, issueLocation, type Report } from "./rule.ts";

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
