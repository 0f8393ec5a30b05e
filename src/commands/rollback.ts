import * as Args from "@oclif/core/args";
import { rolloutRollback } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { applyFlags, patienceOf, refuseUnasked, renderRelease } from "./terminal/release.ts";
import { appFlag } from "./terminal/app-flag.ts";
import { fold } from "./terminal/fold.ts";
import { canAsk, confirm } from "./terminal/prompt.ts";

export default class Rollback extends SvcmCommand {
  static override summary = "Give apps the processes and definitions back that they had before a release.";
  static override description =
    "Undoes a whole apply: changed apps get their former definitions, new ones are deleted, and deleted ones start again. Files, code and data stay as they are: an app reads its present env file. A rollback is a release, so it can be undone.";
  static override examples = [
    "<%= config.bin %> rollback",
    "<%= config.bin %> rollback 20261122-044103-b8f9 --app production-restapi --yes",
  ];
  static override args = {
    release: Args.string({ ignoreStdin: true, description: "Release to undo. Defaults to the newest one." }),
  };
  static override flags = {
    app: appFlag("release"),
    ...applyFlags,
  };

  async run() {
    const { args, flags } = await this.parse(Rollback);
    const { release } = args;
    if (!flags.yes) {
      refuseUnasked(canAsk(this), "svcm rollback", "--yes");
      if (!(await confirm(`Undo ${release ?? "the newest release"}?`))) {
        this.log("Nothing was changed.");
        return this.answerNo();
      }
    }
    const done = await this.execute(rolloutRollback, { release, apps: flags.app, ...patienceOf(flags) });
    this.print((screen) => fold(renderRelease(done), screen));
    return done;
  }
}
