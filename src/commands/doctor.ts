import * as Flags from "@oclif/core/flags";
import { isValid, projectDoctor } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { doctorReport } from "./terminal/doctor-report.ts";
import { formatFlag, printReport } from "./terminal/issues.ts";

export default class Doctor extends SvcmCommand {
  static override summary = "Check the repository, the installation and PM2, and name the next steps.";
  static override description =
    "Shows the versions, the root and the files that svcm uses, and why. Then checks the layout, every ecosystem file and env file, the running processes and the keys. Each finding has a code, which svcm explain describes, and a next step. Exits 1 if there is an error. The only files of the repository that it runs are the ecosystem files, as svcm ecosystem check does. It shows no values, so you can attach the report to a bug report.";
  static override examples = [
    "<%= config.bin %> doctor",
    "<%= config.bin %> doctor --offline --format github",
    "<%= config.bin %> doctor --json",
  ];
  static override flags = {
    offline: Flags.boolean({ summary: "Skip PM2 and everything else that depends on this machine.", default: false }),
    format: formatFlag,
  };

  async run() {
    const { flags } = await this.parse(Doctor);
    const input = { version: this.config.version, offline: flags.offline };
    const { response, report } = await this.execute(projectDoctor, input);
    if (!isValid(response.issues)) this.setExitCode(1);
    if (this.jsonEnabled()) return response;
    if (flags.format === "text") this.print((screen) => doctorReport(response, screen));
    else await printReport(this, report, flags.format);
    return response;
  }
}
