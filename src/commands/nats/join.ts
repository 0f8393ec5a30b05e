import * as Flags from "@oclif/core/flags";
import { systemUser } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { readStdin } from "../terminal/validation.ts";

const MAX_BYTES = 64 * 1024;

export default class NatsJoin extends SvcmCommand {
  static override summary = "Let this machine join the fleet, with the file that svcm nats init made for it.";
  static override description =
    "Reads the file from standard input, tries its key at the NATS server, and writes the key, the settings and a systemd unit of svcm agent to .svcm/fleet. --start starts the unit.";
  static override examples = [
    "<%= config.bin %> nats join --start < web-1.join",
    "ssh web-1 'cd /srv/shop && svcm nats join --start' < .svcm/nats/web-1.join",
  ];
  static override flags = {
    start: Flags.boolean({ summary: "Start the agent with systemd, now and after each boot.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(NatsJoin);
    const { joinFleet, parseJoinFile, startUnit } = await import("../../fleet/index.ts");
    const file = parseJoinFile(new TextDecoder().decode(await readStdin(MAX_BYTES)));
    const { node, unit, variablesFile, version } = await joinFleet(await this.ports(), file, systemUser());
    if (flags.start) await startUnit(unit);
    this.log(`The NATS server ${version} accepts ${node}${flags.start ? ", and its agent runs" : ""}.`);
    if (!flags.start) this.log(`Next, one of:\nsystemctl enable --now ${unit}\nset -a; . ${variablesFile}; svcm agent`);
    return { node, unit, variablesFile, version, started: flags.start };
  }
}
