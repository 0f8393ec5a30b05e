import { NodeCommand } from "../terminal/node-command.ts";
import { act, processArgs, startFlags, targetOf } from "../terminal/process-action.ts";

export default class ProcessRestart extends NodeCommand {
  static override aliases = ["restart"];
  static override summary = "Restart PM2 processes.";
  static override description =
    "A process keeps its environment and reads its env file again. With --ecosystem, the declaration takes effect: script, arguments, variables, limits and logs; the answer names what did and what PM2 applies only to a new process. The instances of an app are restarted one after another, and the first that fails is the last. Succeeds when PM2 reports a new run that has been online for one second.";
  static override examples = [
    "<%= config.bin %> process restart dev-restapi",
    "<%= config.bin %> process restart dev-restapi dev-grpcapi",
    "<%= config.bin %> process restart --namespace default",
    "<%= config.bin %> process restart dev-restapi --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = startFlags("Make the declaration of the ecosystem file effective.");

  async run() {
    const { args, flags } = await this.parse(ProcessRestart);
    return act(this, "restart", targetOf(args.name, flags));
  }
}
