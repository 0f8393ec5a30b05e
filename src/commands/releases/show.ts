import * as Args from "@oclif/core/args";
import { releaseShow } from "../../core/index.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { fold } from "../terminal/table.ts";
import { renderRelease } from "../terminal/release.ts";

export default class ReleasesShow extends NodeCommand {
  static override summary = "Show what a release did, step by step.";
  static override examples = ["<%= config.bin %> releases show 20261122-044103-b8f9"];
  static override args = {
    release: Args.string({ ignoreStdin: true, required: true, description: "Id of a release." }),
  };

  async run() {
    const { args } = await this.parse(ReleasesShow);
    const release = await this.execute(releaseShow, { release: args.release });
    this.print((screen) => fold(renderRelease(release), screen));
    return release;
  }
}
