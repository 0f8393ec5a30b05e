import { SvcmCommand } from "../base.ts";
import { tellVerdict, validationFlags } from "../terminal/validation.ts";

export default class InterfacesValidate extends SvcmCommand {
  static override summary = "Validate the interface adapters of deployments.yaml.";
  static override description = "Frameworks, entrypoints, controllers and duplicates. Exits 1 where there is an error.";
  static override examples = ["<%= config.bin %> interfaces validate"];
  static override flags = validationFlags;

  async run() {
    const { flags } = await this.parse(InterfacesValidate);
    return tellVerdict(this, flags, "interfaces");
  }
}
