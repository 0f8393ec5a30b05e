import { SvcmCommand } from "../base.ts";
import { requirePrompt, canPrompt, confirmChange, yesFlag } from "../terminal/prompt.ts";
import { printRollout } from "../terminal/rollout.ts";

export default class RolloutUnlock extends SvcmCommand {
  static override summary = "Abandon a rollout over nodes, and leave every node as it is.";
  static override description =
    "Releases the lock. Changed nodes stay changed, and each keeps its release: svcm rollback --node undoes it. If the svcm of the rollout is still running, its next action is refused.";
  static override examples = ["<%= config.bin %> rollout unlock", "<%= config.bin %> rollout unlock --yes"];
  static override flags = { yes: yesFlag };

  async run() {
    const { flags } = await this.parse(RolloutUnlock);
    requirePrompt(flags.yes || canPrompt(this), "svcm rollout unlock", "--yes");
    const ports = await this.ports();
    return this.withFleet(async (fleet, { requireOpenRollout, unlockRollout }) => {
      const current = await requireOpenRollout(fleet);
      if (!flags.yes) await printRollout(this, current.rollout);
      if (!flags.yes && !(await confirmChange(this, "Leave every node as it is, and release the lock?")))
        return { rollout: current.rollout };
      const rollout = await unlockRollout({ fleet, ports }, current);
      await printRollout(this, rollout);
      return { rollout };
    });
  }
}
