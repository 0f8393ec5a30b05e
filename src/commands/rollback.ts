import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { rolloutRollback, rolloutRollbackPlan } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { applyFlags, patienceOf, refuseUnasked, renderRelease, renderRollbackPlan } from "./terminal/release.ts";
import { appFlag } from "./terminal/plan-flags.ts";
import { fold } from "./terminal/fit.ts";
import { canAsk, consented } from "./terminal/prompt.ts";

export default class Rollback extends NodeCommand {
  static override summary = "Restore the processes and definitions that apps had before a release.";
  static override description =
    "Undoes a whole apply: svcm restores the former definitions of changed apps, deletes new apps, and starts deleted apps again. Files, code and data stay as they are; if an env file changed, its app reads a copy of the former one until the next apply. A rollback is a release too, so you can undo it.";
  static override examples = [
    "<%= config.bin %> rollback --dry-run",
    "<%= config.bin %> rollback",
    "<%= config.bin %> rollback 20261122-044103-b8f9 --app production-restapi --yes",
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description: "Release to undo. Defaults to the newest one that still has an effect.",
    }),
  };
  static override flags = {
    app: appFlag("release"),
    "dry-run": Flags.boolean({ summary: "Show what would change, and change nothing.", default: false }),
    plan: Flags.string({ summary: "Id of the dry run that you read. Refuse any other result.", helpValue: "<id>" }),
    ...applyFlags,
  };

  async run() {
    const { args, flags } = await this.parse(Rollback);
    const asked = { release: args.release, apps: flags.app };
    if (flags["dry-run"]) return this.#show(asked);
    const plan = flags.plan ?? (await this.#agreed(asked, flags.yes));
    if (plan === null) return undefined;
    const input = { ...asked, ...(plan !== undefined && { plan }), ...patienceOf(flags) };
    const done = await this.executeUntilStopped(rolloutRollback, input);
    this.print((screen) => fold(renderRelease(done), screen));
    return done;
  }

  async #show(asked: Asked) {
    const plan = await this.execute(rolloutRollbackPlan, asked);
    this.print((screen) => fold(renderRollbackPlan(plan), screen));
    return plan;
  }

  /** The id of the accepted plan; null for a no; `undefined` if svcm did not ask. */
  async #agreed(asked: Asked, isAgreed: boolean): Promise<string | null | undefined> {
    if (isAgreed) return undefined;
    refuseUnasked(canAsk(this), "svcm rollback", "--plan or --yes");
    const { id } = await this.#show(asked);
    return (await consented(this, "Roll back?")) ? id : null;
  }
}

interface Asked {
  readonly release: string | undefined;
  readonly apps: string[] | undefined;
}
