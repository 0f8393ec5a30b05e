import { NodeCommand } from "./terminal/node-command.ts";
import { act, processArgs, startFlags, readTarget } from "./terminal/process-action.ts";

export default class ProcessReload extends NodeCommand {
  static override hiddenAliases = ["process:reload"];
  static override summary = "Replace PM2 processes, in cluster mode without a gap.";
  static override description =
    "In cluster mode, PM2 ends an instance when its successor listens, or when it is ready if the app has wait_ready. svcm replaces one instance after another, each when the one before has been online for one second. If one fails, the others keep running. A process in fork mode is restarted, because PM2 cannot run two of them side by side. With --ecosystem, it applies the declaration of the ecosystem file.";
  static override examples = [
    "<%= config.bin %> reload api",
    "<%= config.bin %> reload api worker --timeout 90s",
    "<%= config.bin %> reload api --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = startFlags("Apply the declaration of the ecosystem file.");

  async run() {
    const { args, flags } = await this.parse(ProcessReload);
    return act(this, "reload", readTarget(args.name, flags));
  }
}
