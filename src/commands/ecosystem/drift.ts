import { ecosystemDrift } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { withoutEcosystem } from "../terminal/without-ecosystem.ts";
import { renderDrift } from "../terminal/drift.ts";
import { paint } from "../terminal/paint.ts";

export default class EcosystemDrift extends SvcmCommand {
  static override summary = "Compare an ecosystem file with what PM2 runs.";
  static override description =
    "Lists apps that are not running, processes that the file does not declare, and fields that differ: script, folder, interpreter, arguments, instances, mode, watch and environment keys. Argument and environment values are never shown. Exits 1 if anything differs.";
  static override examples = [
    "<%= config.bin %> ecosystem drift --environment production",
    "<%= config.bin %> ecosystem drift --json",
  ];
  static override flags = { environment: ecosystemEnvironmentFlag };

  async run() {
    const { flags } = await this.parse(EcosystemDrift);
    const response = await this.execute(ecosystemDrift, { environment: flags.environment });
    const { environment, fileName, path, exists, drift } = response;
    if (drift.length > 0) {
      this.answerNo();
      this.print((screen) => renderDrift(drift, screen));
    } else if (exists) this.log(paint.green(`PM2 runs what ${fileName} declares.`));
    else this.log(withoutEcosystem(environment, path));
    return response;
  }
}
