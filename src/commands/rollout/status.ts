import { SvcmCommand } from "../base.ts";
import { printRollout } from "../terminal/rollout.ts";

export default class RolloutStatus extends SvcmCommand {
  static override summary = "Show the current rollout over nodes, or the last one.";
  static override description =
    "Shows who rolls out what, for how long, and the state of each node. The record is on the NATS server, so it outlives the svcm that began the rollout. Exits 1 if the rollout has stopped and needs a decision.";
  static override examples = ["<%= config.bin %> rollout status", "<%= config.bin %> rollout status --json"];

  async run() {
    await this.parse(RolloutStatus);
    return this.withFleet(async (fleet, { readRollout, rolloutState }) => {
      const rollout = (await readRollout(fleet))?.rollout;
      if (rollout === undefined) {
        this.log("There has been no rollout yet.");
        return { rollout: null };
      }
      await printRollout(this, rollout);
      if (rolloutState(rollout) === "stopped") this.setExitCode(1);
      return { rollout };
    });
  }
}
