import { NodeCommand } from "./terminal/node-command.ts";
import { act, processArgs, startFlags, readTarget } from "./terminal/process-action.ts";

export default class ProcessRestart extends NodeCommand {
  static override hiddenAliases = ["process:restart"];
  static override summary = "Restart PM2 processes.";
  static override description =
    "A process keeps its environment and reads its env file again. With --ecosystem, svcm applies the script, arguments, variables, limits and logs that the file declares, and reports what PM2 applies only to a new process. It restarts the instances of an app one after another, and stops at the first that fails. Succeeds when PM2 reports a new run that has been online for one second.";
  static override examples = [
    "<%= config.bin %> restart api",
    "<%= config.bin %> restart api worker",
    "<%= config.bin %> restart --namespace default",
    "<%= config.bin %> restart api --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = startFlags("Apply the declaration of the ecosystem file.");

  async run() {
    const { args, flags } = await this.parse(ProcessRestart);
    return act(this, "restart", readTarget(args.name, flags));
  }
}
