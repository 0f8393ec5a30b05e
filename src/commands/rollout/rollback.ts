import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { yesFlag } from "../terminal/prompt.ts";
import { continueRollout, rolloutEnvironmentFlag } from "../terminal/rollout.ts";

export default class RolloutRollback extends SvcmCommand {
  static override summary = "Roll back the nodes that a rollout has changed, in reverse order.";
  static override description =
    "Takes over the rollout, and restores the former processes and definitions of each node that it changed. If the first svcm is still running, its next action is refused. Exits 1 when every node runs as before, and 3 if a node could not be rolled back.";
  static override examples = ["<%= config.bin %> rollout rollback", "<%= config.bin %> rollout rollback --yes"];
  static override flags = { environment: rolloutEnvironmentFlag, yes: yesFlag, deadline: deadlineFlag };

  async run() {
    const { flags } = await this.parse(RolloutRollback);
    return { rollout: await continueRollout(this, "rollback", flags) };
  }
}
