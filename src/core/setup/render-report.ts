import type { reportFormats } from "../api/names.ts";
import type { Report } from "../findings/rule.ts";
import { renderText, type Paint } from "../findings/text.ts";

export type ReportFormat = (typeof reportFormats)[number];

export interface ReportContext {
  readonly paint: Paint;
  readonly version: string;
  readonly now: number;
  readonly hostname: string;
  readonly width?: number | undefined;
}

/** Formats for machines load on first use. @see CONTRACT section 7 */
export async function renderReport(report: Report, format: ReportFormat, context: ReportContext): Promise<string> {
  switch (format) {
    case "text":
      return renderText(report, context.paint, { width: context.width });
    case "github": {
      const { renderGithub } = await import("../findings/annotations.ts");
      // GitHub shows only ten annotations per step, so the text follows. A runner treats `##[...]` anywhere in a line
      // as a command, so the text must not contain it.
      const text = renderText(report, context.paint).replaceAll("##[", "# #[");
      return [renderGithub(report), text].filter((part) => part !== "").join("\n");
    }
    case "sarif": {
      const [{ renderSarif }, { findCodeDoc: docOf }] = await Promise.all([
        import("../findings/annotations.ts"),
        import("./codes/catalog.ts"),
      ]);
      const rules = report.issues.map(({ code }) => [code, docOf(code) ?? { summary: code }] as const);
      return renderSarif(report, Object.fromEntries(rules), context);
    }
    case "junit":
      return (await import("../findings/junit.ts")).renderJunit(report, context);
  }
}
