import { SvcmCommand } from "../base.ts";
import { refuseUnasked } from "../terminal/release.ts";
import { canAsk, consented, yesFlag } from "../terminal/prompt.ts";
import { printRollout } from "../terminal/rollout.ts";

export default class RolloutUnlock extends SvcmCommand {
  static override summary = "Abandon a rollout over nodes, and leave every node as it is.";
  static override description =
    "Releases the lock. Changed nodes stay changed, and each keeps its release: svcm rollback --node undoes it. If the svcm of the rollout is still running, its next action is refused.";
  static override examples = ["<%= config.bin %> rollout unlock", "<%= config.bin %> rollout unlock --yes"];
  static override flags = { yes: yesFlag };

  async run() {
    const { flags } = await this.parse(RolloutUnlock);
    refuseUnasked(flags.yes || canAsk(this), "svcm rollout unlock", "--yes");
    const { requireOpenRollout, unlockRollout, withFleet } = await import("../../fleet/index.ts");
    const ports = await this.ports();
    return withFleet(ports, process.env, async (fleet) => {
      const present = await requireOpenRollout(fleet);
      if (!flags.yes) await printRollout(this, present.rollout);
      if (!flags.yes && !(await consented(this, "Leave every node as it is, and release the lock?")))
        return { rollout: present.rollout };
      const rollout = await unlockRollout({ fleet, ports }, present);
      await printRollout(this, rollout);
      return { rollout };
    });
  }
}
