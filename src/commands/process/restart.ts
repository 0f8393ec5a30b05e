import * as Flags from "@oclif/core/flags";
import { ecosystemFlags, SvcmCommand } from "../base.ts";
import { act, processArgs, processFlags, targetOf } from "../terminal/process-action.ts";

export default class ProcessRestart extends SvcmCommand {
  static override aliases = ["restart"];
  static override summary = "Restart PM2 processes.";
  static override description =
    "A process keeps its environment and reads its env file again. With --ecosystem, it gets the variables that the ecosystem file declares now, and nothing else from the file. All instances of a cluster may be down at the same time; pm2 reload replaces them one by one. Succeeds when PM2 reports a new run that has been online for one second.";
  static override examples = [
    "<%= config.bin %> process restart dev-restapi",
    "<%= config.bin %> process restart dev-restapi dev-grpcapi",
    "<%= config.bin %> process restart --namespace default",
    "<%= config.bin %> process restart dev-restapi --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    ecosystem: Flags.boolean({
      summary: "Apply the current `env` of the ecosystem file, like PM2's --update-env.",
      default: false,
    }),
    ...ecosystemFlags,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessRestart);
    return act(this, "restart", targetOf(args.name, flags));
  }
}
