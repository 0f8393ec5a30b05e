import { SvcmCommand } from "./base.ts";
import { documentArgs, validate, validationFlags } from "./terminal/validation.ts";

export default class Validate extends SvcmCommand {
  static override summary = "Validate deployments.yaml, and show every issue with its location.";
  static override description =
    "Reads YAML or JSON. Exits 1 if there is an error. The report is text with source lines, GitHub annotations, SARIF 2.1.0 or JUnit.";
  static override examples = [
    "<%= config.bin %> validate",
    "<%= config.bin %> validate deployments.yaml",
    "<%= config.bin %> validate --format github",
    "<%= config.bin %> validate --format sarif > svcm.sarif",
  ];
  static override args = documentArgs;
  static override flags = validationFlags;

  async run() {
    return validate(this, await this.parse(Validate));
  }
}
