import { NodeCommand } from "../terminal/node-command.ts";
import { act, processArgs, startFlags, targetOf } from "../terminal/process-action.ts";

export default class ProcessReload extends NodeCommand {
  static override aliases = ["reload"];
  static override summary = "Replace PM2 processes without a gap.";
  static override description =
    "In cluster mode, each instance ends when its successor listens, or is ready if the app has wait_ready. PM2 replaces one instance after another: the next waits until the previous one has been online for one second. If one fails, the others keep running. A process in fork mode is restarted, because PM2 cannot run two of them side by side. With --ecosystem, the declaration takes effect.";
  static override examples = [
    "<%= config.bin %> process reload dev-restapi",
    "<%= config.bin %> process reload dev-restapi dev-grpcapi --timeout 90s",
    "<%= config.bin %> process reload dev-restapi --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = startFlags("Make the declaration of the ecosystem file effective.");

  async run() {
    const { args, flags } = await this.parse(ProcessReload);
    return act(this, "reload", targetOf(args.name, flags));
  }
}
