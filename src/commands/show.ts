import * as Args from "@oclif/core/args";
import { logsRead, processList, processShow, SvcmError, type ProcessShowResponse } from "../core/index.ts";
import { pickEnvironment, ecosystemFlags } from "./base.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { fold } from "./terminal/table.ts";
import { UsageError } from "./terminal/errors.ts";
import { printMarks } from "./terminal/mark-lines.ts";
import { nameList } from "../core/words/text.ts";
import { renderLogLines } from "./terminal/log-lines.ts";
import { processPage } from "./terminal/process-page.ts";

const LOG_LINES = 5;

export default class ProcessShow extends NodeCommand {
  static override hiddenAliases = ["process:show", "describe", "desc", "info"];
  static override summary = "Show one process: its state, why it last ended, its ports, its declaration.";
  static override description =
    "Shows its state, its last ends with their causes, and the ports on which it listens. Also shows the differences from the ecosystem file, the names and tiers of its variables, and what acts on it next. Shows the last lines of its error log, or of its log if there are none. Argument and environment values are never shown.";
  static override examples = [
    "<%= config.bin %> show api",
    "<%= config.bin %> show api --json",
    "<%= config.bin %> show worker",
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: "Name of the process." }),
  };
  static override flags = ecosystemFlags;

  async run() {
    const { args, flags } = await this.parse(ProcessShow);
    const { name } = args;
    if (name === undefined) return await this.#refuseWithoutName();
    const response = await this.execute(processShow, { name, ...pickEnvironment(flags) });
    const log = await this.#readLog(response);
    this.print((screen) => {
      const lines = typeof log === "string" ? [log] : log.length === 0 ? [] : renderLogLines(log, screen).split("\n");
      return fold(processPage(response, lines).join("\n"), screen);
    });
    await printMarks(this, [name]);
    return response;
  }

  /** @throws {UsageError} with the names to choose from */
  async #refuseWithoutName(): Promise<never> {
    const { processes } = await this.execute(processList, {});
    const names = [...new Set(processes.map(({ name }) => name))];
    throw new UsageError(
      `No process is named. Accepted: ${nameList(names) || "none; PM2 knows no process"}.`,
      `svcm show ${names[0] ?? "NAME"}`,
    );
  }

  /** Without errors, the last words of a process are in its log; or why it is not shown, as with a broken `svcm.yaml`. */
  async #readLog({ name, processes, why }: ProcessShowResponse) {
    if (this.jsonEnabled() || processes.length === 0 || why.errorLines.length > 0) return [];
    try {
      return (await this.execute(logsRead, { apps: [name], limit: LOG_LINES })).lines;
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { details = error.message } = error.body;
      return why.now.includes(details) ? [] : details;
    }
  }
}
