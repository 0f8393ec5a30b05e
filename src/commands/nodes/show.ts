import * as Args from "@oclif/core/args";
import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { readDeadline } from "../terminal/numbers.ts";

export default class NodesShow extends SvcmCommand {
  static override summary = "Show one machine of the fleet.";
  static override examples = ["<%= config.bin %> nodes show web-1", "<%= config.bin %> nodes show web-1 --json"];
  static override args = { name: Args.string({ ignoreStdin: true, description: "Name of the node.", required: true }) };
  static override flags = { deadline: deadlineFlag };

  async run() {
    const { args, flags } = await this.parse(NodesShow);
    const deadlineMs = readDeadline(flags.deadline);
    const node = await this.withFleet((fleet, { showNode }) => showNode(fleet, args.name, deadlineMs));
    for (const [name, value] of Object.entries(node)) {
      if (value !== undefined)
        this.log(`${name.padEnd(14)}${typeof value === "string" ? value : JSON.stringify(value)}`);
    }
    if (node.state !== "online") this.setExitCode(1);
    return node;
  }
}
