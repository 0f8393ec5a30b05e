import * as Args from "@oclif/core/args";
import { profileShow } from "../../../core/index.ts";
import { NodeCommand } from "../../terminal/node-command.ts";

export default class EnvProfileShow extends NodeCommand {
  static override summary = "Show the assignments of an operational profile.";
  static override description =
    "Values in angle brackets are placeholders that you fill in when you apply the profile.";
  static override examples = ["<%= config.bin %> env profile show websocket-rest-multi-host"];
  static override args = {
    profile: Args.string({
      ignoreStdin: true,
      required: true,
      description: "Name of the profile. svcm env profile list shows all of them.",
    }),
  };

  async run() {
    const { args } = await this.parse(EnvProfileShow);
    const response = await this.execute(profileShow, { profile: args.profile });
    const lines = Object.entries(response.assignments).map(([key, value]) => `${key}=${value}`);
    this.log([`# ${response.label}`, ...lines].join("\n"));
    return response;
  }
}
