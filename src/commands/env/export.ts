import * as Flags from "@oclif/core/flags";
import { envExport, exportFormats } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { UsageError } from "../terminal/errors.ts";
import { isStdoutTerminal } from "../terminal/screen.ts";
import { envAppFlag } from "../terminal/flags.ts";

export default class EnvExport extends SvcmCommand {
  static override summary = "Print the variables of an environment for a shell, Docker or a program.";
  static override description =
    "Prints the editable and read-only keys that the env files set, without defaults. Leaves out secrets, and reports their number on standard error. --all includes them, but only if standard output is a terminal.";
  static override examples = [
    'eval "$(<%= config.bin %> env export)"',
    "<%= config.bin %> env export --format docker --environment production > production.env",
    "<%= config.bin %> env export --format json",
  ];
  static override flags = {
    ...envFlags,
    app: envAppFlag,
    format: Flags.option({ summary: "Format of the output.", options: exportFormats, default: "shell" as const })(),
    all: Flags.boolean({ summary: "Also print secrets. Refused if the output is not a terminal.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(EnvExport);
    const { all, app, format } = flags;
    if (all && !isStdoutTerminal())
      throw new UsageError(
        "--all prints secrets, but standard output is not a terminal.",
        "To give a program every variable, run it: svcm env run -- <command>",
      );
    const response = await this.execute(envExport, { ...pickEnvironment(flags), app, format, all });
    if (response.text !== "") this.logExactly(response.text);
    const { length } = response.withheld;
    if (length > 0) this.logToStderr(`${length === 1 ? "1 key is" : `${length} keys are`} secret and left out.`);
    return response;
  }
}
