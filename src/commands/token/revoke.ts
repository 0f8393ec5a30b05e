import * as Args from "@oclif/core/args";
import { tokenRevoke } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

export default class TokenRevoke extends SvcmCommand {
  static override summary = "Revoke a token. Its next request is refused.";
  static override description =
    "The audit log keeps the token's actions. Even after you revoke the last token, the token file remains, so changes still need a token.";
  static override examples = ["<%= config.bin %> token revoke ci-bot"];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: "Name of the token.", required: true }),
  };

  async run() {
    const { args } = await this.parse(TokenRevoke);
    const response = await this.execute(tokenRevoke, { name: args.name });
    this.log(`Revoked the token ${response.name}.`);
    return response;
  }
}
