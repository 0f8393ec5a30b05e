import * as Flags from "@oclif/core/flags";
import { statusShow, type StatusResponse } from "../core/index.ts";
import { ecosystemFlags, pickEnvironment, SvcmCommand } from "./base.ts";
import { countMarks } from "./terminal/mark-lines.ts";
import { groupLines } from "./terminal/command-set.ts";
import { fit } from "./terminal/table.ts";
import { paint, type Screen } from "./terminal/screen.ts";
import { presentSubjects } from "./terminal/present-subjects.ts";
import { andMore } from "../core/words/text.ts";

export default class StatusCommand extends SvcmCommand {
  static override summary = "Show the state in at most twelve lines, and the next command.";
  static override description =
    "Compares what PM2 runs with what the ecosystem files declare, for each service, and lists what needs attention. A question that cannot be answered is listed as unknown. Changes nothing and never starts a PM2 daemon. Always exits 0; svcm plan --exit-code is the test for scripts.";
  static override examples = ["<%= config.bin %> status", "<%= config.bin %> status --json"];
  static override flags = {
    ...ecosystemFlags,
    groups: Flags.boolean({ summary: "Also list the commands.", hidden: true, default: false }),
  };

  async run() {
    const { flags } = await this.parse(StatusCommand);
    const status = await this.execute(statusShow, pickEnvironment(flags));
    const marks = await countMarks(this);
    this.print((screen) => statusLines(status, screen, marks).join("\n"));
    if (flags.groups)
      this.print(({ width = 80 }) => `\n${groupLines(presentSubjects(status.root), { width, bold: paint.bold })}`);
    return status;
  }
}

/** With the verdict, the processes, the machine, the rest and the next command: at most twelve lines. */
const MAX_POINTS = 7;

const VERDICT_COLOURS = {
  "as declared": paint.green,
  attention: paint.red,
  unknown: paint.yellow,
  idle: paint.bold,
} as const satisfies Record<StatusResponse["verdict"], unknown>;

export function statusLines(status: StatusResponse, screen: Screen, marks: readonly string[] = []): string[] {
  const { verdict, summary, processes, machine, points, next } = status;
  const short = (text: string, mark = ""): string => {
    const line = `${mark}${text.replaceAll(/\s+/g, " ")}`;
    return screen.width === undefined || line.length <= screen.width ? line : fit(line, screen.width).trimEnd();
  };
  const shown = points.slice(0, points.length > MAX_POINTS ? MAX_POINTS - 1 : MAX_POINTS);
  return [
    paint.bold(VERDICT_COLOURS[verdict](short(summary))),
    ...(processes === undefined ? [] : [short(processes, "  ")]),
    ...(machine?.by === "init" ? [short(`This machine is ${machine.environment}, as svcm init recorded.`, "  ")] : []),
    ...shown.map(({ kind, message }) =>
      kind === "unknown" ? paint.yellow(short(message, "  ? ")) : paint.red(short(message, "  ! ")),
    ),
    ...andMore(points.length - shown.length).map((text) => `  ${text}`),
    ...marks.map((line) => short(line, "  ")),
    ...(next === null ? [] : [short(`Next: ${next}`)]),
  ];
}
