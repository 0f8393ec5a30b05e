import { SvcmCommand } from "../base.ts";
import { printRollout } from "../terminal/rollout.ts";

export default class RolloutStatus extends SvcmCommand {
  static override summary = "Show the current rollout over nodes, or the last one.";
  static override description =
    "Shows who rolls out what, for how long, and the state of each node. The record is on the NATS server, so it outlives the svcm that began the rollout. Exits 1 if the rollout has stopped and needs a decision.";
  static override examples = ["<%= config.bin %> rollout status", "<%= config.bin %> rollout status --json"];

  async run() {
    await this.parse(RolloutStatus);
    const { readRollout, rolloutState, withFleet } = await import("../../fleet/index.ts");
    const current = await withFleet(await this.ports(), process.env, (fleet) => readRollout(fleet));
    if (current === undefined) {
      this.log("There has been no rollout yet.");
      return { rollout: null };
    }
    const { rollout } = current;
    await printRollout(this, rollout);
    if (rolloutState(rollout) === "stopped") this.setExitCode(1);
    return { rollout };
  }
}
