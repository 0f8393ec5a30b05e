import { NodeCommand } from "./terminal/node-command.ts";
import { act, confirmAction, processArgs, processFlags, readTarget } from "./terminal/process-action.ts";
import { yesFlag } from "./terminal/prompt.ts";

export default class ProcessDelete extends NodeCommand {
  static override hiddenAliases = ["process:delete", "del"];
  static override summary = "Stop PM2 processes and remove them from PM2's list.";
  static override description =
    "PM2 forgets the process, its environment and its counters; files and logs stay. In a terminal, svcm asks for confirmation; elsewhere, a whole namespace needs --yes. The list that PM2 starts at boot changes with the next pm2 save.";
  static override examples = [
    "<%= config.bin %> delete worker",
    "<%= config.bin %> delete api worker --yes",
    "<%= config.bin %> delete --id 3 --yes",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    yes: yesFlag,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessDelete);
    const target = readTarget(args.name, flags);
    if (!flags.yes && !(await confirmAction(this, ["Delete", "deleted"], target))) return undefined;
    return act(this, "delete", target);
  }
}
