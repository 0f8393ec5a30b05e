import { ecosystemCheck, isValid, visible } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { renderIssues } from "../terminal/issues.ts";
import { stdoutScreen } from "../terminal/screen.ts";

export default class EcosystemCheck extends SvcmCommand {
  static override summary = "Check a PM2 ecosystem file for what PM2 would refuse, mistake or ignore.";
  static override description =
    "File and app names that PM2 takes for something else, ports that collide, scripts and env files that are missing, fields that PM2 ignores, and apps that deployments.yaml implies. Exits 1 where there is an error.";
  static override examples = [
    "<%= config.bin %> ecosystem check --environment production",
    "<%= config.bin %> ecosystem check --environment staging --json",
  ];
  static override flags = {
    environment: ecosystemEnvironmentFlag,
  };

  async run() {
    const { flags } = await this.parse(EcosystemCheck);
    const response = await ask(ecosystemCheck, flags, { environment: flags.environment });
    const { environment, fileName, path, exists, issues } = response;
    if (!isValid(issues)) this.answerNo();
    if (issues.length > 0) this.log(await renderIssues(issues, stdoutScreen()));
    else if (exists) this.log(`${fileName} is good.`);
    else this.log(`${environment} has no ecosystem file. It would be read from ${visible(path)}`);
    return response;
  }
}
