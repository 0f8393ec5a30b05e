import { profileShow } from "../../../core/index.ts";
import { profileArg } from "../../terminal/flags.ts";
import { NodeCommand } from "../../terminal/node-command.ts";

export default class EnvProfileShow extends NodeCommand {
  static override summary = "Show the assignments of an operational profile.";
  static override description =
    "Values in angle brackets are placeholders that you fill in when you apply the profile.";
  static override examples = ["<%= config.bin %> env profile show websocket-rest-multi-host"];
  static override args = {
    profile: profileArg,
  };

  async run() {
    const { args } = await this.parse(EnvProfileShow);
    const response = await this.execute(profileShow, { profile: args.profile });
    const lines = Object.entries(response.assignments).map(([key, value]) => `${key}=${value}`);
    this.log([`# ${response.label}`, ...lines].join("\n"));
    return response;
  }
}
