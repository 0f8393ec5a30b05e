import { SvcmCommand } from "../base.ts";
import { tellVerdict, validationFlags } from "../terminal/validation.ts";

export default class TargetsValidate extends SvcmCommand {
  static override summary = "Validate the deploy targets of deployments.yaml.";
  static override description =
    "Names, runtimes, regions, drivers, and what the capability matrix lets run where. Exits 1 where there is an error.";
  static override examples = [
    "<%= config.bin %> targets validate",
    "<%= config.bin %> targets validate --format junit > targets.xml",
  ];
  static override flags = validationFlags;

  async run() {
    const { flags } = await this.parse(TargetsValidate);
    return tellVerdict(this, flags, "deployments");
  }
}
