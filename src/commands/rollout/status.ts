import { SvcmCommand } from "../base.ts";
import { printRollout, rolloutEnvironmentFlag } from "../terminal/rollout.ts";

export default class RolloutStatus extends SvcmCommand {
  static override summary = "Show the current rollout over nodes, or the last one.";
  static override description =
    "Shows who rolls out what, for how long, with which choices, and the state of each node. Each environment has its own rollout: every open one is shown, or else the newest. The record is on the NATS server, so it outlives the svcm that began the rollout. Exits 1 if the rollout has stopped and needs a decision.";
  static override examples = ["<%= config.bin %> rollout status", "<%= config.bin %> rollout status --json"];

  static override flags = { environment: rolloutEnvironmentFlag };

  async run() {
    const { flags } = await this.parse(RolloutStatus);
    return this.withFleet(async (fleet, { listRollouts, toRecorded, rolloutState }) => {
      const all = await listRollouts(fleet, flags.environment);
      const ignored = all.flatMap((one) => one.ignored.map((record) => ({ environment: one.environment, ...record })));
      const [first, ...others] = all.flatMap((one) => toRecorded(one)?.rollout ?? []);
      const open = others.filter(({ outcome }) => outcome === null);
      if (first === undefined) this.log("There has been no rollout yet.");
      for (const rollout of first === undefined ? [] : [first, ...open]) {
        await printRollout(this, rollout);
        if (rolloutState(rollout) === "stopped") this.setExitCode(1);
      }
      for (const { environment, user, reason } of ignored)
        this.logToStderr(`A newer record of ${environment} by ${user} does not count: ${reason}.`);
      return { rollout: first ?? null, open, ignored };
    });
  }
}
