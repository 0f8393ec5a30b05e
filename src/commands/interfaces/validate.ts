import { SvcmCommand } from "../base.ts";
import { documentArgs, validate, validationFlags } from "../terminal/validation.ts";

export default class InterfacesValidate extends SvcmCommand {
  static override summary = "Validate the interface adapters in deployments.yaml.";
  static override description =
    "Checks frameworks, entrypoints, controllers and duplicates. Exits 1 if there is an error.";
  static override examples = ["<%= config.bin %> interfaces validate"];
  static override args = documentArgs;
  static override flags = validationFlags;

  async run() {
    return validate(this, await this.parse(InterfacesValidate), "interfaces");
  }
}
