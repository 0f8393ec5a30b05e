import { daemonShow } from "../core/index.ts";
import { daemonText } from "./terminal/boot.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { stdoutScreen } from "./terminal/screen.ts";

export default class DaemonCommand extends NodeCommand {
  static override summary = "Show the PM2 daemons of this machine: versions, Node.js, owner, home and unit.";
  static override description =
    "Lists every daemon that this user may see, and checks the one of PM2_HOME. Reports a Node.js that is gone or not the one that the repository asks for, an old PM2, and root. Also reports several daemons of one home, and a saved list that others may read. Exits 1 if a finding is an error. Changes nothing.";
  static override examples = ["<%= config.bin %> daemon", "<%= config.bin %> daemon --json"];

  async run() {
    await this.parse(DaemonCommand);
    const report = await this.execute(daemonShow, {});
    if (report.findings.some(({ severity }) => severity === "error")) this.setExitCode(1);
    this.log(daemonText(report, stdoutScreen()));
    return report;
  }
}
