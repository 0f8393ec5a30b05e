import { profileList } from "../../../core/index.ts";
import { NodeCommand } from "../../terminal/node-command.ts";
import { printTable } from "../../terminal/table.ts";

export default class EnvProfileList extends NodeCommand {
  static override summary = "List the operational profiles.";
  static override examples = ["<%= config.bin %> env profile list"];

  async run() {
    await this.parse(EnvProfileList);
    const response = await this.execute(profileList, {});
    printTable(
      this,
      [
        { heading: "PROFILE", cell: ({ profile }) => profile },
        { heading: "WHAT RUNS", cell: ({ label }) => label, shorten: "fold" },
      ],
      response.profiles,
    );
    return response;
  }
}
