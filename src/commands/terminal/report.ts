import { hostname } from "node:os";
import * as Flags from "@oclif/core/flags";
import { renderReport, reportFormats } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { fold } from "./fit.ts";
import { paint, unpainted } from "./paint.ts";
import { stdoutScreen } from "./screen.ts";

type Format = (typeof reportFormats)[number];

export const formatFlag = Flags.option({
  options: reportFormats,
  summary: "Format of the report: text for people, the others for tools.",
})({
  default: "text",
});

export async function printReport(
  command: SvcmCommand,
  report: Parameters<typeof renderReport>[0],
  format: Format,
): Promise<void> {
  const isText = format === "text";
  const screen = stdoutScreen();
  const context = { version: command.config.version, now: Date.now(), hostname: hostname(), width: screen.width };
  const text = await renderReport(report, format, { ...context, paint: isText ? paint : unpainted });
  if (isText) command.log(fold(text, screen));
  else command.logExactly(text);
}
