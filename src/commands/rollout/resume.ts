import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { yesFlag } from "../terminal/prompt.ts";
import { goOn } from "../terminal/rollout.ts";

export default class RolloutResume extends SvcmCommand {
  static override summary = "Go on with a rollout over nodes that another svcm left.";
  static override description =
    "Takes the rollout over and goes on with its next node. A node that was asked before gives the recorded answer, and applies nothing twice. If the former svcm still runs, its next action is refused. Exits as svcm apply does.";
  static override examples = ["<%= config.bin %> rollout resume", "<%= config.bin %> rollout resume --yes"];
  static override flags = { yes: yesFlag, deadline: deadlineFlag };

  async run() {
    const { flags } = await this.parse(RolloutResume);
    return { rollout: await goOn(this, flags, { isBack: false, ports: await this.ports(), signal: this.signal }) };
  }
}
