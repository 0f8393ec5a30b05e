import { hostname } from "node:os";
import * as Flags from "@oclif/core/flags";
import {
  countIssues,
  firstIssues,
  locationText,
  renderReport,
  reportFormats,
  severityText,
  toPrintable,
  type Issue,
} from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { fold } from "./fit.ts";
import { paint, unpainted, stdoutScreen, type Screen } from "./screen.ts";
import { withVerdict, type Verdict } from "./verdict.ts";
import { andMore } from "../../core/words/text.ts";

export function renderIssues(issues: readonly Issue[], screen: Screen): string {
  return withVerdict(issuesVerdict(issues), renderIssueLines(issues, screen));
}

/** @param subject text before the count */
export function issuesVerdict(issues: readonly Issue[], subject = ""): Verdict {
  const error = issues.find(({ severity }) => severity === "error");
  const first = error ?? issues[0];
  const text = `${subject}${countIssues(issues)}.`;
  if (first === undefined) return { text, tone: "good" };
  return { text, tone: error === undefined ? "attention" : "bad", next: `svcm explain ${first.code}` };
}

/** Without the count. */
export function renderIssueLines(issues: readonly Issue[], screen: Screen): string {
  const { listed, more } = firstIssues(issues);
  const lines = listed.map((issue) => `${issue.at ? `${paint.bold(locationText(issue.at))} ` : ""}${issueText(issue)}`);
  const rest = andMore(more).map((text) => paint.dim(text));
  return fold([...lines, ...rest].join("\n"), screen);
}

/** @param subject text before the message */
export function issueText(issue: Issue, subject = ""): string {
  const { message, suggestion, code } = issue;
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  return `${severityText(issue, paint)} ${subject}${toPrintable(message)}${hint} ${paint.dim(code)}`;
}

export const formatFlag = Flags.option({
  options: reportFormats,
  summary: "Format of the report: text for people, the others for tools.",
})({
  default: "text",
});

export async function printReport(
  command: SvcmCommand,
  report: Parameters<typeof renderReport>[0],
  format: (typeof reportFormats)[number],
): Promise<void> {
  const isText = format === "text";
  const screen = stdoutScreen();
  const context = { version: command.config.version, now: Date.now(), hostname: hostname(), width: screen.width };
  const text = await renderReport(report, format, { ...context, paint: isText ? paint : unpainted });
  if (isText) command.log(fold(text, screen));
  else command.logExactly(text);
}
