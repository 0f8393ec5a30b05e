import { SvcmCommand } from "../base.ts";
import { documentArgs, validate, validationFlags } from "../terminal/validation.ts";

export default class TargetsValidate extends SvcmCommand {
  static override summary = "Validate the deploy targets in deployments.yaml.";
  static override description =
    "Checks names, runtimes, regions, drivers, and the combinations that the capability matrix allows. Exits 1 if there is an error.";
  static override examples = [
    "<%= config.bin %> targets validate",
    "<%= config.bin %> targets validate --format junit > targets.xml",
  ];
  static override args = documentArgs;
  static override flags = validationFlags;

  async run() {
    return validate(this, await this.parse(TargetsValidate), "deployments");
  }
}
