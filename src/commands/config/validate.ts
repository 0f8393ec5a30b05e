import { SvcmCommand } from "../base.ts";
import { tellVerdict, validationFlags } from "../terminal/validation.ts";

export default class ConfigValidate extends SvcmCommand {
  static override summary = "Validate the service configuration of deployments.yaml.";
  static override description =
    "Service kind, run mode, cloud provider and the ports that the kind binds. Exits 1 where there is an error.";
  static override examples = ["<%= config.bin %> config validate"];
  static override flags = validationFlags;

  async run() {
    const { flags } = await this.parse(ConfigValidate);
    return tellVerdict(this, flags, "serviceConfiguration");
  }
}
