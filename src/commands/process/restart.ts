import * as Flags from "@oclif/core/flags";
import { processAct } from "../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { processArgs, processFlags, renderAction, targetOf } from "../terminal/process-action.ts";

export default class ProcessRestart extends SvcmCommand {
  static override summary = "End processes of PM2 and start them anew.";
  static override description =
    "A process keeps the environment that it has, and reads its env file again. With --ecosystem, what the ecosystem file declares now is laid over it. Succeeds when PM2's list shows a new run, online for a second.";
  static override examples = [
    "<%= config.bin %> process restart restapi",
    "<%= config.bin %> process restart --namespace backend",
    "<%= config.bin %> process restart restapi --ecosystem --environment staging",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    ecosystem: Flags.boolean({ summary: "With the environment that the ecosystem file declares now.", default: false }),
    environment: environmentFlag,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessRestart);
    const { id, namespace, ecosystem, environment } = flags;
    const target = targetOf({ name: args.name, id, namespace, ecosystem, environment });
    const result = await ask(processAct, flags, { action: "restart", ...target });
    this.log(renderAction(result));
    return result;
  }
}
