import { bootShow } from "../core/index.ts";
import { ecosystemFlags, pickEnvironment } from "./base.ts";
import { bootText } from "./terminal/boot.ts";
import { fold } from "./terminal/table.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { stdoutScreen } from "./terminal/screen.ts";

export default class Boot extends NodeCommand {
  static override summary = "Tell whether a reboot would bring back what PM2 runs, as it is declared.";
  static override description =
    "Compares the units of systemd, PM2's saved list, the running processes and the ecosystem file. Each finding has a code and the one command that ends it. Names of variables are shown, never values. Exits 1 unless the answer is yes. Changes nothing.";
  static override examples = ["<%= config.bin %> boot", "<%= config.bin %> boot --environment production --json"];
  static override flags = ecosystemFlags;

  async run() {
    const { flags } = await this.parse(Boot);
    const place = pickEnvironment({ environment: flags.environment, service: flags.service });
    const report = await this.execute(bootShow, place);
    if (report.verdict !== "yes") this.setExitCode(1);
    this.log(fold(bootText(report), stdoutScreen()));
    return report;
  }
}
