import { ecosystemCheck, isValid } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { withoutEcosystem } from "../terminal/without-ecosystem.ts";
import { renderIssues } from "../terminal/issues.ts";
import { paint } from "../terminal/paint.ts";

export default class EcosystemCheck extends SvcmCommand {
  static override summary = "Check a PM2 ecosystem file for anything that PM2 would refuse, misread or ignore.";
  static override description =
    "Finds names that PM2 misinterprets, ports that collide, missing scripts and env files, fields that PM2 ignores, and apps that deployments.yaml requires but the file lacks. Exits 1 if there is an error.";
  static override examples = [
    "<%= config.bin %> ecosystem check --environment production",
    "<%= config.bin %> ecosystem check --environment staging --json",
  ];
  static override flags = {
    environment: ecosystemEnvironmentFlag,
  };

  async run() {
    const { flags } = await this.parse(EcosystemCheck);
    const response = await this.execute(ecosystemCheck, { environment: flags.environment });
    const { environment, fileName, path, exists, issues } = response;
    if (!isValid(issues)) this.answerNo();
    if (issues.length > 0) this.print((screen) => renderIssues(issues, screen));
    else if (exists) this.log(paint.green(`${fileName} is valid.`));
    else this.log(withoutEcosystem(environment, path));
    return response;
  }
}
