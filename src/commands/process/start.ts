import * as Flags from "@oclif/core/flags";
import { processAct } from "../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { processArgs, processFlags, renderAction, targetOf } from "../terminal/process-action.ts";

export default class ProcessStart extends SvcmCommand {
  static override summary = "Start processes that PM2 knows, or apps that the ecosystem file declares.";
  static override description =
    "What runs already is left alone. Succeeds when PM2's list shows the process online for a second. With --ecosystem, apps that PM2 does not know are started by their declaration, and a PM2 daemon where none runs; without a name, every app of the file.";
  static override examples = [
    "<%= config.bin %> process start restapi",
    "<%= config.bin %> process start --namespace backend",
    "<%= config.bin %> process start restapi --ecosystem --environment staging",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    ecosystem: Flags.boolean({ summary: "Apps of the environment's ecosystem file.", default: false }),
    environment: environmentFlag,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessStart);
    const { id, namespace, ecosystem, environment } = flags;
    const target = targetOf({ name: args.name, id, namespace, ecosystem, environment });
    const result = await ask(processAct, flags, { action: "start", ...target });
    this.log(renderAction(result));
    return result;
  }
}
