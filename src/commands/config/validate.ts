import { SvcmCommand } from "../base.ts";
import { documentArgs, validate, validationFlags } from "../terminal/validation.ts";

export default class ConfigValidate extends SvcmCommand {
  static override summary = "Validate the service configuration in deployments.yaml.";
  static override description =
    "Checks the service kind, run mode, cloud provider, and the ports that the service kind listens on. Exits 1 if there is an error.";
  static override examples = ["<%= config.bin %> config validate"];
  static override args = documentArgs;
  static override flags = validationFlags;

  async run() {
    return validate(this, await this.parse(ConfigValidate), "serviceConfiguration");
  }
}
