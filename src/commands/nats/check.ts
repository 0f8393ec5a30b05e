import { SvcmCommand } from "../base.ts";

export default class NatsCheck extends SvcmCommand {
  static override summary = "Check the version and the settings of the NATS server.";
  static override description =
    "Connects with the key of SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS, and compares what svcm keeps on the server with the settings of svcm nats setup. Exits 1 if something differs, and 3 if the server is too old or does not answer.";
  static override examples = ["<%= config.bin %> nats check"];

  async run() {
    await this.parse(NatsCheck);
    const { version, problems } = await this.withFleet((fleet) => fleet.check());
    if (problems.length === 0) this.log(`The NATS server ${version} is new enough, and has the current settings.`);
    else this.log([...problems, "Next, as an admin: svcm nats setup"].join("\n"));
    if (problems.length > 0) this.setExitCode(1);
    return { version, problems };
  }
}
