import type { reportFormats } from "../api/names.ts";
import type { Report } from "./report.ts";
import { renderText, type Paint } from "./text.ts";

export type ReportFormat = (typeof reportFormats)[number];

/** What a report needs of the world. */
export interface ReportContext {
  readonly paint: Paint;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly hostname: string;
  /** Columns of the window, if there is one. */
  readonly width?: number | undefined;
}

/** A report in one of the formats of CONTRACT section 7. Formats for machines are loaded when they are asked for. */
export async function renderReport(report: Report, format: ReportFormat, context: ReportContext): Promise<string> {
  switch (format) {
    case "text":
      return renderText(report, context.paint, { width: context.width });
    case "github": {
      const { renderGithub } = await import("./github.ts");
      // GitHub shows the first ten of a step, so the whole is printed too.
      // A runner reads the old form of a command, `##[...]`, anywhere in a line: a source may not hold one.
      const text = renderText(report, context.paint).replaceAll("##[", "# #[");
      return [renderGithub(report), text].filter((part) => part !== "").join("\n");
    }
    case "sarif": {
      const [{ renderSarif }, { docOf }] = await Promise.all([import("./sarif.ts"), import("./catalog.ts")]);
      const rules = report.issues.map(({ code }) => [code, docOf(code) ?? { summary: code }] as const);
      return renderSarif(report, Object.fromEntries(rules), context);
    }
    case "junit":
      return (await import("./junit.ts")).renderJunit(report, context);
  }
}
