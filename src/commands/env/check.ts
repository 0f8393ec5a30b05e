import * as Flags from "@oclif/core/flags";
import { envCheck, isValid } from "../../core/index.ts";
import { pickEnvironment, envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { renderIssues } from "../terminal/validation.ts";
import { paint } from "../terminal/screen.ts";

export default class EnvCheck extends NodeCommand {
  static override summary = "Check an env file against the runtime contract.";
  static override description =
    "Reports unsupported values, missing and duplicate keys, keys that differ only in case, credentials in URLs, and lines that node --env-file and dotenv read differently. Exits 1 if there is an error.";
  static override examples = [
    "<%= config.bin %> env check --environment production",
    "<%= config.bin %> env check --environment production --json",
    "<%= config.bin %> env check --file .env.example",
  ];
  static override flags = {
    ...envFlags,
    file: Flags.string({
      summary: "Check only this file, which no environment has to name, for example .env.example.",
      helpValue: "<file>",
      exclusive: ["environment", "service"],
    }),
  };

  async run() {
    const { flags } = await this.parse(EnvCheck);
    const response = await this.execute(envCheck, { ...pickEnvironment(flags), file: flags.file });
    if (!isValid(response.issues)) this.setExitCode(1);
    if (response.issues.length === 0) this.log(paint.green(`${response.fileName} is valid.`));
    else this.print((screen) => renderIssues(response.issues, screen));
    return response;
  }
}
