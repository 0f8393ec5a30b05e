import * as Args from "@oclif/core/args";
import { eventWhy } from "../core/index.ts";
import { fold } from "./terminal/table.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { printMarks } from "./terminal/mark-lines.ts";
import { whyLines } from "./terminal/process-page.ts";

export default class Why extends NodeCommand {
  static override summary = "Show when and why a process last ended.";
  static override description =
    "Shows the last end within 30 days, the first line of the last error in its error log, the evidence and the present state. Without a name, it explains the process that ended last. The causes come from PM2's log and list, svcm's audit log and the kernel. The error log is shown only while PM2 knows the process, because only then can svcm hide its secrets. Exits 1 if no end is known.";
  static override examples = ["<%= config.bin %> why", "<%= config.bin %> why api", "<%= config.bin %> why api --json"];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: "Name of the process." }),
  };

  async run() {
    const { args } = await this.parse(Why);
    const response = await this.execute(eventWhy, args.name === undefined ? {} : { name: args.name });
    if (response.event === null) this.setExitCode(1);
    this.print((screen) => fold(whyLines(response, Date.now()).join("\n"), screen));
    const app = args.name ?? response.event?.app ?? undefined;
    if (app !== undefined) await printMarks(this, [app]);
    return response;
  }
}
