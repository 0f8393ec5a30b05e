import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { rolloutRollback, rolloutRollbackPlan } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { applyFlags, readTimeouts, appFlag } from "./terminal/flags.ts";
import { requirePrompt, canPrompt, confirmChange } from "./terminal/prompt.ts";
import { renderRelease, renderRollbackPlan } from "./terminal/release.ts";
import { fold } from "./terminal/table.ts";

export default class Rollback extends NodeCommand {
  static override hiddenAliases = ["undo"];
  static override summary = "Restore the processes and definitions that apps had before a release.";
  static override description =
    "Undoes a whole apply: svcm restores the former definitions of changed apps, deletes new apps, and starts deleted apps again. After svcm deploy, that is the code of the former release folder, too, and current leads to it. Otherwise files, code and data stay as they are; if an env file changed, its app reads a copy of the former one until the next apply. A rollback is a release too, so you can undo it.";
  static override examples = [
    "<%= config.bin %> rollback --dry-run",
    "<%= config.bin %> rollback",
    "<%= config.bin %> rollback 20261122-044103-b8f9 --app api --yes",
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description:
        "Release to undo. Defaults to the newest one that still has an effect; after a rollback that was cut off, to the one that it undoes.",
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
    const request = { release: args.release, apps: flags.app };
    if (flags["dry-run"]) return this.#show(request);
    const plan = flags.plan ?? (await this.#confirmPlan(request, flags.yes));
    if (plan === null) return undefined;
    const input = { ...request, ...(plan !== undefined && { plan }), ...readTimeouts(flags) };
    const release = await this.executeUntilStopped(rolloutRollback, input);
    this.print((screen) => fold(renderRelease(release), screen));
    return release;
  }

  async #show(request: RollbackRequest) {
    const plan = await this.execute(rolloutRollbackPlan, request);
    this.print((screen) => fold(renderRollbackPlan(plan), screen));
    return plan;
  }

  /** The id of the accepted plan; null for a no; `undefined` if svcm did not ask. */
  async #confirmPlan(request: RollbackRequest, isAccepted: boolean): Promise<string | null | undefined> {
    if (isAccepted) return undefined;
    // Refuses a release that does not exist first.
    const { id } = await this.#show(request);
    requirePrompt(canPrompt(this), "svcm rollback", "--plan or --yes");
    return (await confirmChange(this, "Roll back?")) ? id : null;
  }
}

interface RollbackRequest {
  readonly release: string | undefined;
  readonly apps: string[] | undefined;
}
