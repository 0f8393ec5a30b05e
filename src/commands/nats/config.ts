import { SvcmCommand } from "../base.ts";

export default class NatsConfig extends SvcmCommand {
  static override summary =
    "Print the accounts and permissions of the NATS server for the users and nodes of svcm.yaml.";
  static override description =
    "Each user may publish only the operations of its role, under its own name; each node may announce and answer only as itself. Include the output in the configuration of nats-server.";
  static override examples = ["<%= config.bin %> nats config > nats.conf"];

  async run() {
    await this.parse(NatsConfig);
    const { natsConfigOf } = await import("../../fleet/index.ts");
    const config = await natsConfigOf(await this.ports());
    this.logExactly(config.trimEnd());
    return { config };
  }
}
