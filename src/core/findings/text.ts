import { locationText, type Issue } from "../api/issue.ts";
import { toPrintable } from "./cells.ts";
import { renderFrame } from "./code-frame.ts";
import { countIssues, firstIssues, indexLines, issueLocation, unmentionedAccepted, type Report } from "./report.ts";
import { andMore } from "../words/text.ts";

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const INDENT = "  ";

interface RenderOptions {
  readonly width?: number | undefined;
}

export function renderText(report: Report, paint: Paint, { width }: RenderOptions = {}): string {
  const lines = indexLines(report.text);
  const { listed, more } = firstIssues(report.issues);
  const blocks = listed.map((issue) => {
    const place = issueLocation(issue);
    const isShown = place?.file === report.file && !lines.isSecret(place.line);
    const line = isShown ? lines.at(place.line) : undefined;
    return [heading(issue, paint), ...frame(line, place, { paint, width }), ...hints(issue, paint)].join("\n");
  });
  const rest = andMore(more).map((text) => paint.dim(text));
  return [summary(report.issues, paint), ...blocks, ...rest].join("\n\n");
}

export function severityText({ severity }: Pick<Issue, "severity">, { red, yellow }: Paint): string {
  return severity === "error" ? red(severity) : yellow(severity);
}

function heading(issue: Issue, paint: Paint): string {
  const { bold, dim } = paint;
  const place = issueLocation(issue);
  const where = place ? `${bold(toPrintable(locationText(place)))} ` : "";
  return `${where}${severityText(issue, paint)} ${toPrintable(issue.message)} ${dim(`[${issue.code}]`)}`;
}

function frame(
  line: string | undefined,
  place: Issue["at"],
  { paint: { dim, red }, width }: RenderOptions & { readonly paint: Paint },
): string[] {
  if (line === undefined || !place) return [];
  const number = `${place.line}`;
  const framed = renderFrame(line, place.column, width && width - `${INDENT}${number} | ^`.length);
  if (!framed) return [];
  return [
    `${INDENT}${dim(`${number} |`)} ${framed.source}`.trimEnd(),
    `${INDENT}${dim(`${" ".repeat(number.length)} |`)} ${framed.caret.replace("^", red("^"))}`,
  ];
}

function hints(issue: Issue, { dim, cyan }: Paint): string[] {
  const accepted = unmentionedAccepted(issue);
  const lines: string[] = [];
  if (accepted.length > 0) lines.push(`${INDENT}${dim("accepted:")} ${toPrintable(accepted.join(", "))}`);
  if (issue.suggestion !== undefined) lines.push(`${INDENT}did you mean ${cyan(toPrintable(issue.suggestion))}?`);
  return lines;
}

function summary(issues: readonly Issue[], { green, red, yellow }: Paint): string {
  const hasError = issues.some(({ severity }) => severity === "error");
  const colour = hasError ? red : issues.length > 0 ? yellow : green;
  return colour(`${countIssues(issues)}.`);
}
