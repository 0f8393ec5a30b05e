import * as Args from "@oclif/core/args";
import { processShow } from "../../core/index.ts";
import { chosen, ecosystemFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { fold } from "../terminal/fit.ts";
import { processPage } from "../terminal/process-page.ts";

export default class ProcessShow extends NodeCommand {
  static override aliases = ["describe", "show"];
  static override summary = "Show one process: its state, why it last ended, its ports, its declaration.";
  static override description =
    "Shows its state, its last ends with their causes, and the ports on which it listens. Also shows the differences from the ecosystem file, the names and tiers of its variables, the last lines of its error log, and what acts on it next. Argument and environment values are never shown.";
  static override examples = [
    "<%= config.bin %> process show dev-restapi",
    "<%= config.bin %> process show dev-restapi --json",
    "<%= config.bin %> describe dev-restapi",
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, required: true, description: "Name of the process." }),
  };
  static override flags = ecosystemFlags;

  async run() {
    const { args, flags } = await this.parse(ProcessShow);
    const response = await this.execute(processShow, { name: args.name, ...chosen(flags) });
    this.print((screen) => fold(processPage(response).join("\n"), screen));
    return response;
  }
}
