import * as Args from "@oclif/core/args";
import { SvcmCommand } from "../base.ts";

export default class NatsKey extends SvcmCommand {
  static override summary = "Create the key of a user or a node for the NATS server.";
  static override description =
    "Writes the secret seed to a new file with mode 0600, and prints the public key, the nkey for svcm.yaml. The public key may be in Git.";
  static override examples = ["<%= config.bin %> nats key ann.nk"];
  static override args = {
    file: Args.string({ ignoreStdin: true, description: "New file for the seed.", required: true }),
  };

  async run() {
    const { args } = await this.parse(NatsKey);
    const { createKey } = await import("../../fleet/index.ts");
    const { writeSecretFile } = await import("../../core/index.ts");
    const { seed, publicKey } = createKey();
    await writeSecretFile(args.file, `${seed}\n`);
    this.logToStderr(`The seed is in ${args.file}. Keep it secret. Add this nkey to svcm.yaml:`);
    this.logExactly(publicKey);
    return { file: args.file, nkey: publicKey };
  }
}
