import { locationText, type Issue } from "../api/issue.ts";
import { toPrintable, splitCells, cellsWidth, type Cell, escapeUnprintable } from "./cells.ts";
import { countIssues, firstIssues, indexLines, issueLocation, unmentionedAccepted, type Report } from "./rule.ts";
import { andMore } from "../words/text.ts";
import { maskSource, REDACTED, maskCredentials } from "../secrets/redact.ts";
import { escapeHidden } from "../words/characters.ts";

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

export interface CodeFrame {
  readonly source: string;
  readonly caret: string;
}

/** Longer lines are not shown: masking them would be slow, and without a mask they could expose a secret. */
const MAX_LINE_LENGTH = 2000;
const MAX_WIDTH = 120;
const MIN_WIDTH = 20;
const MARGIN = 3;
const ELLIPSIS = "…";

/** Masks credentials. The column counts from 1. */
export function renderFrame(line: string, column: number, width = MAX_WIDTH): CodeFrame | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const masked = maskSource(line);
  const offset = mapOffset(line, masked, Math.min(column - 1, line.length));
  const cells = splitCells(masked);
  const caretIndex = cells.filter(({ end }) => end <= offset).length;
  const [from, to] = windowAround(cells, caretIndex, Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, width)));
  const prefix = from > 0 ? ELLIPSIS : "";
  const suffix = to < cells.length ? ELLIPSIS : "";
  return {
    source: `${prefix}${joinCells(cells.slice(from, to))}${suffix}`.trimEnd(),
    caret: `${" ".repeat(prefix.length + cellsWidth(cells.slice(from, caretIndex)))}^`,
  };
}

/** An offset inside a masked part maps to the start of that part. */
function mapOffset(line: string, masked: string, offset: number): number {
  const parts = masked.split(REDACTED);
  let [before, after] = [0, 0];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const start = isLast ? line.length - part.length : line.indexOf(part, before);
    if (offset < start) return after - REDACTED.length;
    if (offset < start + part.length || isLast) return after + offset - start;
    before = start + part.length;
    after += part.length + REDACTED.length;
  }
  return offset;
}

function windowAround(
  cells: readonly Cell[],
  caretIndex: number,
  maxWidth: number,
): readonly [from: number, to: number] {
  if (cellsWidth(cells) <= maxWidth) return [0, cells.length];
  const room = maxWidth - MARGIN;
  const before = cells.slice(0, caretIndex).toReversed();
  const start = caretIndex - countFitting(before, room / 2);
  const to = start + countFitting(cells.slice(start), room);
  return [to - countFitting(cells.slice(0, to).toReversed(), room), to];
}

function countFitting(cells: readonly Cell[], room: number): number {
  let total = 0;
  const first = cells.findIndex(({ width }) => (total += width) > room);
  return first === -1 ? cells.length : first;
}

function joinCells(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join("");
}

export function toOneLine(text: string, limit: number): string {
  const line = escapeUnprintable(text);
  const characters = Array.from(line);
  if (characters.length > limit) return `${characters.slice(0, limit - 1).join("")}…`;
  return line === "" ? "(empty)" : line;
}

const MAX_VALUE_LENGTH = 120;

/** Markup, HTML, mentions and references have no effect. The fence has more backticks than any run in the text. */
export function codeSpan(text: string, limit = MAX_VALUE_LENGTH): string {
  const line = toOneLine(text, limit);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // Markdown drops one space on each side if both sides have one.
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Short, on one line, without credentials and hidden characters. */
export function quoteValue(value: unknown): string {
  const text = escapeHidden(JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
