import { SvcmCommand } from "../base.ts";

export default class NatsConfig extends SvcmCommand {
  static override summary = "Print the NATS server's accounts and permissions for the users and nodes in svcm.yaml.";
  static override description =
    "Users may publish only the operations of their role, under their own names. A node may announce itself and answer only under its own name. Include the output in the configuration of nats-server.";
  static override examples = ["<%= config.bin %> nats config > nats.conf"];

  async run() {
    await this.parse(NatsConfig);
    const { natsConfigOf } = await import("../../fleet/index.ts");
    const config = await natsConfigOf(await this.ports());
    this.logExactly(config.trimEnd());
    return { config };
  }
}
