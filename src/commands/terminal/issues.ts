import { countIssues, firstIssues, locationText, visible, type Issue } from "../../core/index.ts";
import { fold } from "./fit.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

export function renderIssues(issues: readonly Issue[], screen: Screen): string {
  const { bold, dim, red, yellow } = paint;
  const { shown, more } = firstIssues(issues);
  const lines = shown.map(({ at, severity, message, suggestion, code }) => {
    const where = at ? `${bold(locationText(at))} ` : "";
    const meant = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
    return `${where}${severity === "error" ? red("error") : yellow("warning")} ${visible(message)}${meant} ${dim(code)}`;
  });
  const rest = more > 0 ? [dim(`and ${more} more`)] : [];
  return fold([...lines, ...rest, countIssues(issues)].join("\n"), screen);
}
