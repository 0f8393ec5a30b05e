import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { roles, tokenCreate } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { readLifetime } from "../terminal/numbers.ts";

export default class TokenCreate extends SvcmCommand {
  static override summary = "Create a token for the HTTP API, the console and the WebSocket.";
  static override description =
    "Prints the token once; .svcm/tokens.json keeps only a digest. A viewer reads. An operator also reads logs and acts on processes. An editor also writes env files and declarations, and applies. An admin also manages tokens. Once you have created a token, changes need one on every address.";
  static override examples = [
    "<%= config.bin %> token create ci-bot --role viewer --expires 30d",
    "<%= config.bin %> token create assistant --role operator --propose --environment production",
    "<%= config.bin %> token create ann --role editor --environment dev --environment production",
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: "Name in the audit log: letters, digits, - and _.",
      required: true,
    }),
  };
  static override flags = {
    role: Flags.option({ options: roles, summary: "Role of the token.", required: true })(),
    environment: Flags.string({
      char: "e",
      multiple: true,
      summary: "Limit the token to an environment. Repeat it for several.",
      helpValue: "<name>",
    }),
    service: Flags.string({
      multiple: true,
      summary: "Limit the token to a service of svcm.yaml. Repeat it for several.",
      helpValue: "<name>",
    }),
    propose: Flags.boolean({
      summary: "Let the token propose changes over MCP. A user approves each of them.",
      default: false,
    }),
    expires: Flags.string({ summary: "Time until the token expires, such as 12h or 30d.", helpValue: "<time>" }),
  };

  async run() {
    const { args, flags } = await this.parse(TokenCreate);
    const { role, environment: environments, service: services } = flags;
    const expiresInMs = readLifetime(flags.expires);
    const propose = flags.propose || undefined;
    const created = await this.execute(tokenCreate, {
      name: args.name,
      role,
      environments,
      services,
      propose,
      expiresInMs,
    });
    this.logToStderr(`Token ${created.name} (${created.role}). Copy it now: svcm does not show it again.`);
    this.logExactly(created.token);
    return created;
  }
}
