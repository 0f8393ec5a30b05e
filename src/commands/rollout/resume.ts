import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { yesFlag } from "../terminal/prompt.ts";
import { continueRollout, rolloutEnvironmentFlag } from "../terminal/rollout.ts";

export default class RolloutResume extends SvcmCommand {
  static override summary = "Continue a rollout over nodes that another svcm left unfinished.";
  static override description =
    "Shows who chose what, plans the remaining nodes again, takes over the rollout and continues with its next node. A node that has already applied a step returns the recorded result instead of applying it twice. If the first svcm is still running, its next action is refused. The exit codes are those of svcm apply.";
  static override examples = ["<%= config.bin %> rollout resume", "<%= config.bin %> rollout resume --yes"];
  static override flags = { environment: rolloutEnvironmentFlag, yes: yesFlag, deadline: deadlineFlag };

  async run() {
    const { flags } = await this.parse(RolloutResume);
    return { rollout: await continueRollout(this, "resume", flags) };
  }
}
