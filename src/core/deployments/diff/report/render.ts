import type { diffFormats } from "../../../api/names.ts";
import type { Paint } from "../../../findings/text.ts";
import type { DiffReport } from "../change.ts";

export async function renderDiff(
  report: DiffReport,
  format: (typeof diffFormats)[number],
  paint: Paint,
): Promise<string> {
  if (format === "markdown") return (await import("./markdown.ts")).renderDiffMarkdown(report);
  return (await import("./text.ts")).renderDiffText(report, paint);
}
