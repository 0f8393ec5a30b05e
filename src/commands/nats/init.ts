import * as Flags from "@oclif/core/flags";
import { systemUser, SvcmError } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

export default class NatsInit extends SvcmCommand {
  static override summary = "Begin a fleet: the NATS server's configuration and unit, a certificate, and all keys.";
  static override description =
    "Writes .svcm/nats, which Git ignores, and declares nats in svcm.yaml. An address that begins with tls:// gets its own certificate, made with openssl. --start starts the server with systemd and sets it up. Each file <node>.join holds the secret key of one node, for svcm nats join.";
  static override examples = [
    "<%= config.bin %> nats init --url tls://nats.internal:4222 --user ann --node web-1 --node web-2 --start",
  ];
  static override flags = {
    url: Flags.string({ summary: "Address of this machine for all others.", helpValue: "<url>", required: true }),
    user: Flags.string({ summary: "First user, an admin.", helpValue: "<name>", required: true }),
    node: Flags.string({ summary: "Name of a machine. Repeat it for several.", helpValue: "<name>", multiple: true }),
    start: Flags.boolean({ summary: "Start the server with systemd, and set it up.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(NatsInit);
    const { initFleet, setUpStarted, startUnit, SERVER_HINT } = await import("../../fleet/index.ts");
    const ports = await this.ports();
    const { url, user, node: nodes = [], start } = flags;
    const made = await initFleet(ports, { url, user, nodes, owner: systemUser() });
    const { folder, files, variables, program } = made;
    const unit = `${folder}/svcm-nats.service`;
    this.log(`Written to ${folder}: ${files.join(", ")}. svcm.yaml declares nats.`);
    if (program === undefined && start) throw new SvcmError("START_REFUSED", { details: SERVER_HINT });
    if (program === undefined) this.log(SERVER_HINT);
    if (start) {
      await startUnit(unit);
      await setUpStarted(ports, variables);
      this.log("The NATS server runs and is set up.");
    }
    const settings = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`);
    const steps = start ? [] : [`systemctl enable --now ${unit}`, "svcm nats setup"];
    this.log(["Next:", ...settings, ...steps].join("\n"));
    const joins = nodes.map(
      (node) => `ssh ${node} 'cd <its checkout> && svcm nats join --start' < ${folder}/${node}.join`,
    );
    if (joins.length > 0) this.log(["Then bring svcm.yaml to each machine, and let it join:", ...joins].join("\n"));
    return { folder, files, variables, started: start };
  }
}
