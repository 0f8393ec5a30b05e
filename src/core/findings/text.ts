import { locationText, type Issue } from "../api/issue.ts";
import { visible } from "./cells.ts";
import { frameLine } from "./frame.ts";
import { countIssues, firstIssues, linesOf, issuePlace, unsaidAccepted, type Report } from "./report.ts";

/** The core does not depend on a terminal. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const INDENT = "  ";

interface Room {
  readonly width?: number | undefined;
}

export function renderText(report: Report, paint: Paint, { width }: Room = {}): string {
  const lines = linesOf(report.text);
  const { shown, more } = firstIssues(report.issues);
  const blocks = shown.map((issue) => {
    const place = issuePlace(issue);
    const line = place?.file === report.file ? lines.at(place.line) : undefined;
    return [heading(issue, paint), ...frame(line, place, { paint, width }), ...advice(issue, paint)].join("\n");
  });
  if (more > 0) blocks.push(paint.dim(`and ${more} more`));
  return [...blocks, summary(report.issues, paint)].join("\n\n");
}

export function severityText({ severity }: Pick<Issue, "severity">, { red, yellow }: Paint): string {
  return severity === "error" ? red(severity) : yellow(severity);
}

function heading(issue: Issue, paint: Paint): string {
  const { bold, dim } = paint;
  const place = issuePlace(issue);
  const where = place ? `${bold(visible(locationText(place)))} ` : "";
  return `${where}${severityText(issue, paint)} ${visible(issue.message)} ${dim(`[${issue.code}]`)}`;
}

function frame(
  line: string | undefined,
  place: Issue["at"],
  { paint: { dim, red }, width }: Room & { readonly paint: Paint },
): string[] {
  if (line === undefined || !place) return [];
  const number = `${place.line}`;
  const framed = frameLine(line, place.column, width && width - `${INDENT}${number} | ^`.length);
  if (!framed) return [];
  return [
    `${INDENT}${dim(`${number} |`)} ${framed.source}`.trimEnd(),
    `${INDENT}${dim(`${" ".repeat(number.length)} |`)} ${framed.caret.replace("^", red("^"))}`,
  ];
}

function advice(issue: Issue, { dim, cyan }: Paint): string[] {
  const accepted = unsaidAccepted(issue);
  const lines: string[] = [];
  if (accepted.length > 0) lines.push(`${INDENT}${dim("accepted:")} ${visible(accepted.join(", "))}`);
  if (issue.suggestion !== undefined) lines.push(`${INDENT}did you mean ${cyan(visible(issue.suggestion))}?`);
  return lines;
}

function summary(issues: readonly Issue[], { green, red, yellow }: Paint): string {
  const hasError = issues.some(({ severity }) => severity === "error");
  const colour = hasError ? red : issues.length > 0 ? yellow : green;
  return colour(countIssues(issues));
}
