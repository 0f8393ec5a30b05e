import { SvcmCommand } from "../base.ts";

export default class NatsSetup extends SvcmCommand {
  static override summary = "Make the stream of events and the lock of rollouts on the NATS server.";
  static override description =
    "The stream keeps the events and audit records of all nodes, also of those that are away. nats.events of svcm.yaml has its limits; run the command again after a change. Only a user with the role admin may.";
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
  created: "Created the stream svcm_events. The nodes send their events within a minute.",
  changed: "Changed the limits of the stream svcm_events.",
  unchanged: "The stream svcm_events has these limits already.",
};
