import { locationText, type Issue } from "../../../api/issue.ts";
import type { Change, DiffReport } from "../change.ts";
import { codeSpan } from "../../../findings/text.ts";
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

const MAX_ISSUES = 20;
/** GitHub limits a comment to 65,536 characters. */
const MAX_LENGTH = 60_000;

export function renderDiffMarkdown(report: DiffReport): string {
  const { file, from, to, changes, notes } = report;
  const [head = "", tail = ""] = [
    [
      `### ${codeSpan(file)}: ${countChanges(changes)}`,
      `From ${describeSide(from, codeSpan)} to ${describeSide(to, codeSpan)}.`,
    ],
    [...notes.map((note) => noteText(note, codeSpan)), ...verdictTexts(report), issueList(to.issues)],
  ].map((parts) => parts.filter((part) => part !== "").join("\n\n"));
  return [head, ...changeParts(changes, MAX_LENGTH - head.length - tail.length), tail]
    .filter((part) => part !== "")
    .join("\n\n");
}

function changeParts(changes: readonly Change[], room: number): string[] {
  let remaining = room;
  let listed = 0;
  const parts = groupBySection(changes).flatMap(({ title, changes: own }) => {
    const heading = `**${title}**`;
    const items: string[] = [];
    for (const item of own.map(changeItem)) {
      remaining -= item.length + (items.length === 0 ? heading.length + 4 : 1);
      if (remaining < 0) break;
      items.push(item);
    }
    listed += items.length;
    return items.length === 0 ? [] : [heading, items.join("\n")];
  });
  return listed === changes.length
    ? parts
    : [...parts, `And ${changes.length - listed} more; \`svcm diff\` shows them.`];
}

function changeItem(change: Change): string {
  const { kind, fields } = change;
  return [
    `- ${subjectText(change, codeSpan)}`,
    ...fields.map((field) => `  - ${fieldText(field, kind, codeSpan, "→")}`),
    ...effectTexts(change, codeSpan).map((effect) => `  - ${effect}`),
  ].join("\n");
}

function issueList(issues: readonly Issue[]): string {
  const items = issues.slice(0, MAX_ISSUES).map((issue) => {
    const place = issueLocation(issue);
    const where = place ? `${codeSpan(locationText(place))} ` : "";
    return `- ${where}${codeSpan(describeIssue(issue), 400)} (${codeSpan(issue.code)})`;
  });
  return [...items, ...andMore(issues.length - items.length).map((text) => `- ${text}`)].join("\n");
}
