import * as Args from "@oclif/core/args";
import { proposalDeny } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";

export default class Deny extends SvcmCommand {
  static override summary = "Deny what a program proposed. It never runs.";
  static override description = "Also takes back an approval that was not used yet. svcm approve lists the proposals.";
  static override examples = ["<%= config.bin %> deny KR4TQ2WB"];
  static override args = {
    id: Args.string({ ignoreStdin: true, description: "Id of the proposal.", required: true }),
  };

  async run() {
    const { args } = await this.parse(Deny);
    const denied = await this.execute(proposalDeny, { id: args.id });
    this.log(`Denied ${denied.id}. It never runs.`);
    return denied;
  }
}
