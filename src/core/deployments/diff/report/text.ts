import { locationText, type Issue } from "../../../api/issue.ts";
import type { Change, DiffReport } from "../change.ts";
import { toOneLine, type Paint } from "../../../findings/text.ts";
import { describeIssue, issueLocation } from "../../../findings/rule.ts";
import {
  groupBySection,
  countChanges,
  describeSide,
  effectTexts,
  fieldText,
  noteText,
  subjectText,
  verdictTexts,
} from "./words.ts";
import { andMore } from "../../../words/text.ts";

const MAX_VALUE = 200;
const MAX_ISSUES = 20;

export function renderDiffText(report: DiffReport, paint: Paint): string {
  const { file, from, to, changes, notes } = report;
  const head = `${paint.bold(quote(file))}: ${describeSide(from, quote)} -> ${describeSide(to, quote)}`;
  const sections = groupBySection(changes).map(({ title, changes: own }) =>
    [paint.bold(title), ...own.flatMap((change) => changeLines(change, paint))].join("\n"),
  );
  const count = countChanges(changes);
  const end = [
    `${count.charAt(0).toUpperCase()}${count.slice(1)}.`,
    ...notes.map((note) => paint.dim(noteText(note, quote))),
    ...verdictTexts(report).map((verdict, index, all) =>
      verdictColour(report, index === all.length - 1, paint)(verdict),
    ),
    ...issueLines(to.issues, paint),
  ];
  return [head, ...sections, end.join("\n")].join("\n\n");
}

function changeLines(change: Change, paint: Paint): string[] {
  const { kind, fields } = change;
  const [sign, colour] = signOf(kind, paint);
  return [
    `  ${colour(`${sign} ${subjectText(change, quote)}`)}`,
    ...fields.map((field) => `      ${fieldText(field, kind, quote, "->")}`),
    ...effectTexts(change, quote).map((effect) => `      ${paint.dim(effect)}`),
  ];
}

function signOf(kind: Change["kind"], { cyan, green, red, yellow }: Paint): readonly [string, Paint["red"]] {
  switch (kind) {
    case "added":
      return ["+", green];
    case "removed":
      return ["-", red];
    case "renamed":
      return [">", cyan];
    case "changed":
      return ["~", yellow];
  }
}

function verdictColour({ from, to }: DiffReport, isNew: boolean, { green, red, yellow }: Paint): Paint["red"] {
  const { valid, issues } = isNew && to.exists ? to : from;
  if (!valid) return red;
  return issues.length > 0 ? yellow : green;
}

function issueLines(issues: readonly Issue[], { dim }: Paint): string[] {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => {
    const place = issueLocation(issue);
    const where = place ? `${quote(locationText(place))} ` : "";
    return `  ${where}${toOneLine(describeIssue(issue), 1000)} ${dim(`[${issue.code}]`)}`;
  });
  return [...lines, ...andMore(issues.length - MAX_ISSUES).map((text) => `  ${text}`)];
}

function quote(text: string): string {
  return toOneLine(text, MAX_VALUE);
}
