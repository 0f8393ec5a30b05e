import type { Issue } from "../api/issue.ts";
import { describeIssue, issuePlace, type Report } from "./report.ts";

/** GitHub shows only ten errors and ten warnings per step, so the caller prints the text report too. */
export function renderGithub(report: Report): string {
  return report.issues.map((issue) => command(report, issue)).join("\n");
}

function command(report: Report, issue: Issue): string {
  const place = issuePlace(issue);
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
