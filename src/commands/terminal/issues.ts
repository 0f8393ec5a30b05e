import { countIssues, visible, type Issue } from "../../core/index.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

/** One line an issue, `file:line:column severity message (CODE)`, and the count below. */
export async function renderIssues(issues: readonly Issue[], screen: Screen): Promise<string> {
  const { bold, dim, red, yellow } = await paint(screen.colours);
  const lines = issues.map(({ at, severity, message, suggestion, code }) => {
    const where = at ? `${bold(`${at.file}:${at.line}:${at.column}`)} ` : "";
    const meant = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
    return `${where}${severity === "error" ? red("error") : yellow("warning")} ${visible(message)}${meant} ${dim(code)}`;
  });
  return [...lines, countIssues(issues)].join("\n");
}
