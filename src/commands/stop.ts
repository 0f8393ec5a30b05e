import { NodeCommand } from "./terminal/node-command.ts";
import { act, confirmAction, processArgs, processFlags, readTarget } from "./terminal/process-action.ts";
import { yesFlag } from "./terminal/prompt.ts";

export default class ProcessStop extends NodeCommand {
  static override hiddenAliases = ["process:stop"];
  static override summary = "Stop PM2 processes.";
  static override description =
    "Stopped processes stay in PM2's list. Succeeds when PM2 reports each process as stopped. Before it stops a whole namespace, svcm asks for confirmation in a terminal, and needs --yes elsewhere.";
  static override examples = [
    "<%= config.bin %> stop api",
    "<%= config.bin %> stop --id 0",
    "<%= config.bin %> stop --namespace default --yes",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    yes: yesFlag,
  };

  async run() {
    const { args, flags } = await this.parse(ProcessStop);
    const target = readTarget(args.name, flags);
    const needsConfirmation = target.scope === "namespace" && !flags.yes;
    if (needsConfirmation && !(await confirmAction(this, ["Stop", "stopped"], target))) return undefined;
    return act(this, "stop", target);
  }
}
