import { NodeCommand } from "./terminal/node-command.ts";
import { act, processArgs, startFlags, readTarget } from "./terminal/process-action.ts";

export default class ProcessStart extends NodeCommand {
  static override hiddenAliases = ["process:start"];
  static override summary = "Start processes that PM2 knows, or apps that the ecosystem file declares.";
  static override description =
    "Leaves running processes alone. With --ecosystem, also starts apps that PM2 does not know yet, and a PM2 daemon if none is running; without a NAME, starts every app in the file. Succeeds when PM2 reports that each process has been online for one second.";
  static override examples = [
    "<%= config.bin %> start api",
    "<%= config.bin %> start --namespace default",
    "<%= config.bin %> start api --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = startFlags("Start apps that the environment's ecosystem file declares.");

  async run() {
    const { args, flags } = await this.parse(ProcessStart);
    return act(this, "start", readTarget(args.name, flags));
  }
}
