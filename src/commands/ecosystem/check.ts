import * as Flags from "@oclif/core/flags";
import { ecosystemCheck, isValid } from "../../core/index.ts";
import { allowMissingFlag, pickEnvironment, ecosystemFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { renderIssues } from "../terminal/validation.ts";
import { paint } from "../terminal/screen.ts";

export default class EcosystemCheck extends NodeCommand {
  static override summary = "Check a PM2 ecosystem file for anything that PM2 would refuse, misread or ignore.";
  static override description =
    "Asks PM2's own validation, and finds what PM2 accepts but misreads: names, paths with a space, units, and fields that it ignores. Also finds ports that collide, missing scripts, interpreters and env files, and apps that deployments.yaml requires but the file lacks. Exits 1 if there is an error, or no file.";
  static override examples = [
    "<%= config.bin %> ecosystem check --environment production",
    "<%= config.bin %> ecosystem check --environment production --json",
    "<%= config.bin %> ecosystem check --offline",
  ];
  static override flags = {
    ...ecosystemFlags,
    "allow-missing": allowMissingFlag,
    offline: Flags.boolean({
      summary: "Skip what depends on this machine: scripts that a build makes, interpreters, users, env files.",
      default: false,
    }),
  };

  async run() {
    const { flags } = await this.parse(EcosystemCheck);
    const response = await this.execute(ecosystemCheck, { ...pickEnvironment(flags), offline: flags.offline });
    const { fileName, exists, issues } = response;
    if (!isValid(issues)) this.setExitCode(1);
    if (issues.length > 0) this.print((screen) => renderIssues(issues, screen));
    else if (exists) this.log(paint.green(`${fileName} is valid.`));
    else await this.logMissingEcosystem(response);
    if (!exists && !flags["allow-missing"]) this.setExitCode(1);
    return response;
  }
}
