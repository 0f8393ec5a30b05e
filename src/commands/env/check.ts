import { envCheck, isValid } from "../../core/index.ts";
import { pickEnvironment, envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { renderIssues } from "../terminal/issues.ts";
import { paint } from "../terminal/paint.ts";

export default class EnvCheck extends NodeCommand {
  static override summary = "Check an env file against the runtime contract.";
  static override description =
    "Reports unsupported values, missing and duplicate keys, keys that differ only in case, credentials in URLs, and lines that node --env-file and dotenv read differently. Exits 1 if there is an error.";
  static override examples = [
    "<%= config.bin %> env check --environment staging",
    "<%= config.bin %> env check --environment ci --json",
  ];
  static override flags = envFlags;

  async run() {
    const { flags } = await this.parse(EnvCheck);
    const response = await this.execute(envCheck, pickEnvironment(flags));
    if (!isValid(response.issues)) this.setExitCode(1);
    if (response.issues.length === 0) this.log(paint.green(`${response.fileName} is valid.`));
    else this.print((screen) => renderIssues(response.issues, screen));
    return response;
  }
}
