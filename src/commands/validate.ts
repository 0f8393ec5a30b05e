import { SvcmCommand } from "./base.ts";
import { tellVerdict, validationFlags } from "./terminal/validation.ts";

export default class Validate extends SvcmCommand {
  static override summary = "Validate deployments.yaml: every issue at once, with its place.";
  static override description =
    "Reads YAML or JSON and exits 1 where there is an error. Formats: text with source frames, GitHub annotations, SARIF 2.1.0, JUnit.";
  static override examples = [
    "<%= config.bin %> validate",
    "<%= config.bin %> validate --format github",
    "<%= config.bin %> validate --format sarif > svcm.sarif",
  ];
  static override flags = validationFlags;

  async run() {
    const { flags } = await this.parse(Validate);
    return tellVerdict(this, flags);
  }
}
