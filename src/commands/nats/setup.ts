import { SvcmCommand } from "../base.ts";

export default class NatsSetup extends SvcmCommand {
  static override summary = "Set up the NATS server to store the nodes, their events and the lock of rollouts.";
  static override description =
    "Requires a user with the role admin. A stream keeps the events and audit records of all nodes, even those that are away. nats.events in svcm.yaml sets its limits; run the command again after you change them or update svcm.";
  static override examples = ["<%= config.bin %> nats setup"];

  async run() {
    await this.parse(NatsSetup);
    const outcome = await this.withFleet((fleet) => fleet.setUp());
    this.log(OUTCOME_TEXTS[outcome]);
    return { stream: outcome };
  }
}

const OUTCOME_TEXTS = {
  created: "The NATS server is set up. Running nodes appear within ten seconds, and send their events within a minute.",
  changed: "The NATS server has the current settings.",
  unchanged: "The NATS server already has these settings.",
};
