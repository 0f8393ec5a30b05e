import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { yesFlag } from "../terminal/prompt.ts";
import { goOn } from "../terminal/rollout.ts";

export default class RolloutRollback extends SvcmCommand {
  static override summary = "Return the nodes that a rollout has changed, in the reverse order.";
  static override description =
    "Takes the rollout over. Each node that it changed gets the processes and definitions back that it had before. If the former svcm still runs, its next action is refused. Exits 1 when every node runs as before, and 3 if a node could not be returned.";
  static override examples = ["<%= config.bin %> rollout rollback", "<%= config.bin %> rollout rollback --yes"];
  static override flags = { yes: yesFlag, deadline: deadlineFlag };

  async run() {
    const { flags } = await this.parse(RolloutRollback);
    return { rollout: await goOn(this, flags, { isBack: true, ports: await this.ports(), signal: this.signal }) };
  }
}
