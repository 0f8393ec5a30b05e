import * as Flags from "@oclif/core/flags";
import { countStates, processList, type ListedProcess } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { printMarks } from "./terminal/mark-lines.ts";
import { processColumns, processVerdict, renderProblems } from "./terminal/metrics.ts";
import { stdoutScreen, type Screen, withVerdict } from "./terminal/screen.ts";
import { renderTable, type Column } from "./terminal/table.ts";

export default class ProcessList extends NodeCommand {
  static override hiddenAliases = ["process:list", "list", "l", "ps", "slist"];
  static override summary = "List the processes that PM2 knows.";
  static override description =
    "Queries the PM2 daemon of PM2_HOME (by default ~/.pm2), and never starts one. CPU and memory are PM2's latest measurements. Arguments and environment values are never shown.";
  static override examples = [
    "<%= config.bin %> ls",
    "<%= config.bin %> ls --output wide",
    "<%= config.bin %> ls --json",
    "PM2_HOME=~/.pm2 <%= config.bin %> ls",
  ];
  static override flags = {
    output: Flags.option({
      char: "o",
      options: ["table", "wide", "name"] as const,
      summary: "A table that fits the window, a table with every column, or only the names.",
    })({ default: "table" }),
  };

  async run() {
    const { flags } = await this.parse(ProcessList);
    const response = await this.execute(processList, {});
    if (!this.jsonEnabled()) this.log(render(response.processes, flags.output));
    for (const { message } of response.issues ?? []) this.warn(message);
    if (flags.output !== "name") await printMarks(this);
    return response;
  }
}

const TABLE_COLUMNS: readonly Column<ListedProcess>[] = [
  ...processColumns,
  { heading: "MODE", cell: modeOf, dropPriority: 3 },
  { heading: "PID", cell: ({ pid }) => (pid === null ? "-" : String(pid)), side: "right", dropPriority: 4 },
  { heading: "NAMESPACE", cell: ({ namespace }) => namespace, shorten: "middle", dropPriority: 5 },
];

const WIDE_COLUMNS: readonly Column<ListedProcess>[] = [
  ...TABLE_COLUMNS,
  { heading: "VERSION", cell: ({ version }) => version ?? "-" },
  { heading: "NODE", cell: ({ nodeVersion }) => nodeVersion ?? "-" },
  { heading: "SCRIPT", cell: ({ script }) => script ?? "-" },
];

function render(processes: readonly ListedProcess[], output: "table" | "wide" | "name"): string {
  if (output === "name") return [...new Set(processes.map(({ name }) => name))].join("\n");
  if (processes.length === 0) return countStates(processes);
  const screen = stdoutScreen();
  const [columns, tableScreen]: [readonly Column<ListedProcess>[], Screen] =
    output === "wide" ? [WIDE_COLUMNS, { colours: screen.colours }] : [TABLE_COLUMNS, screen];
  const evidence = [renderTable(columns, processes, tableScreen), renderProblems(processes, screen)];
  return withVerdict(processVerdict(processes), evidence.filter((part) => part !== "").join("\n\n"));
}

function modeOf({ execMode, instances }: ListedProcess): string {
  const count = instances !== null && instances > 1 ? ` x${instances}` : "";
  return execMode === null ? "-" : `${execMode}${count}`;
}
