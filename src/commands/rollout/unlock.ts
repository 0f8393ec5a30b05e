import { SvcmCommand } from "../base.ts";
import { requirePrompt, canPrompt, confirmChange, yesFlag } from "../terminal/prompt.ts";
import { printRollout, rolloutEnvironmentFlag } from "../terminal/rollout.ts";

export default class RolloutUnlock extends SvcmCommand {
  static override summary = "Abandon a rollout over nodes, and leave every node as it is.";
  static override description =
    "Releases the lock, also of a rollout that this version cannot read. Only its owner and admins may do so, and the audit log records it. Changed nodes stay changed, and each keeps its release: svcm rollback --node undoes it. If the svcm of the rollout is still running, its next action is refused.";
  static override examples = ["<%= config.bin %> rollout unlock", "<%= config.bin %> rollout unlock --yes"];
  static override flags = { environment: rolloutEnvironmentFlag, yes: yesFlag };

  async run() {
    const { flags } = await this.parse(RolloutUnlock);
    requirePrompt(flags.yes || canPrompt(this), "svcm rollout unlock", "--yes");
    const ports = await this.ports();
    return this.withFleet(async (fleet, { requireOpenRollout, unlockRollout }) => {
      const current = await requireOpenRollout(fleet, flags.environment);
      const { rollout: before, unreadable, environment } = current;
      if (before !== undefined) await printRollout(this, before);
      else
        this.log(
          `The rollout ${unreadable?.id} of ${environment} by ${unreadable?.owner} is unreadable for this svcm.`,
        );
      if (!flags.yes && !(await confirmChange(this, "Leave every node as it is, and release the lock?")))
        return { rollout: before ?? null };
      const rollout = await unlockRollout({ fleet, ports }, current);
      await printRollout(this, rollout);
      return { rollout };
    });
  }
}
