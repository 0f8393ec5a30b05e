import { countIssues, firstIssues, locationText, severityText, toPrintable, type Issue } from "../../core/index.ts";
import { fold } from "./fit.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

export function renderIssues(issues: readonly Issue[], screen: Screen): string {
  const { listed, more } = firstIssues(issues);
  const lines = listed.map((issue) => `${issue.at ? `${paint.bold(locationText(issue.at))} ` : ""}${issueText(issue)}`);
  const rest = more > 0 ? [paint.dim(`and ${more} more`)] : [];
  return fold([...lines, ...rest, countIssues(issues)].join("\n"), screen);
}

/** @param subject text before the message */
export function issueText(issue: Issue, subject = ""): string {
  const { message, suggestion, code } = issue;
  const meant = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  return `${severityText(issue, paint)} ${subject}${toPrintable(message)}${meant} ${paint.dim(code)}`;
}
