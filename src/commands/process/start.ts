import * as Flags from "@oclif/core/flags";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { act, processArgs, processFlags, renderAction, targetOf } from "../terminal/process-action.ts";

export default class ProcessStart extends SvcmCommand {
  static override summary = "Start processes that PM2 knows, or apps that the ecosystem file declares.";
  static override description =
    "Leaves running processes alone. With --ecosystem, starts apps that PM2 does not know from their declaration, and a PM2 daemon if none runs; without a name, every app of the file. Succeeds when PM2 lists each process as online for a second.";
  static override examples = [
    "<%= config.bin %> process start dev-restapi",
    "<%= config.bin %> process start --namespace default",
    "<%= config.bin %> process start dev-restapi --ecosystem --environment dev",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    ecosystem: Flags.boolean({ summary: "Apps of the environment's ecosystem file.", default: false }),
    environment: ecosystemEnvironmentFlag,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessStart);
    const { id: ids, namespace, ecosystem, environment } = flags;
    const target = targetOf({ names: args.name, ids, namespace, ecosystem, environment });
    const result = await act(this, "start", flags, target);
    this.log(renderAction(result));
    return result;
  }
}
