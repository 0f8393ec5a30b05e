import { ecosystemDrift, visible } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { renderDrift } from "../terminal/drift.ts";
import { stdoutScreen } from "../terminal/screen.ts";

export default class EcosystemDrift extends SvcmCommand {
  static override summary = "Compare an ecosystem file with what PM2 runs.";
  static override description =
    "Apps that are missing or that no file declares, and fields that differ: script, folder, interpreter, arguments, instances, mode, watch, environment keys. Values of arguments and environment are never shown. Exits 1 where something differs.";
  static override examples = [
    "<%= config.bin %> ecosystem drift --environment production",
    "<%= config.bin %> ecosystem drift --json",
  ];
  static override flags = { environment: ecosystemEnvironmentFlag };

  async run() {
    const { flags } = await this.parse(EcosystemDrift);
    const response = await ask(ecosystemDrift, flags, { environment: flags.environment });
    const { environment, fileName, path, exists, drift } = response;
    if (drift.length > 0) {
      this.answerNo();
      if (!this.jsonEnabled()) this.log(await renderDrift(drift, stdoutScreen()));
    } else if (exists) this.log(`PM2 runs what ${visible(fileName)} declares.`);
    else this.log(`${environment} has no ecosystem file. It would be read from ${visible(path)}`);
    return response;
  }
}
