import { SvcmCommand } from "../base.ts";

export default class NatsSetup extends SvcmCommand {
  static override summary =
    "Make what svcm keeps on the NATS server: the nodes, their events and the lock of rollouts.";
  static override description =
    "Nodes and other users may not make it. A stream keeps the events and audit records of all nodes, also of those that are away. nats.events of svcm.yaml has its limits; run the command again after a change or an update of svcm. Only a user with the role admin may.";
  static override examples = ["<%= config.bin %> nats setup"];

  async run() {
    await this.parse(NatsSetup);
    const { withFleet } = await import("../../fleet/index.ts");
    const outcome = await withFleet(await this.ports(), process.env, (fleet) => fleet.setUp());
    this.log(SENTENCES[outcome]);
    return { stream: outcome };
  }
}

const SENTENCES = {
  created:
    "The NATS server is set up. Nodes that run appear within ten seconds, and send their events within a minute.",
  changed: "The NATS server has the present settings.",
  unchanged: "The NATS server has these settings already.",
};
