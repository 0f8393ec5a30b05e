import { configurationSet } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { assignmentArgs, clearFlag, parseAssignments, documentFlags } from "../terminal/flags.ts";
import { editDocument, requireChange } from "../terminal/document-edits.ts";

export default class ConfigSet extends SvcmCommand {
  static override summary = "Change the service configuration in deployments.yaml.";
  static override description =
    "KEY is serviceKind, runMode, cloudProvider, staticAssetsPath, or a port such as ports.rest. svcm validates the whole configuration first, and does not touch the file if it is invalid.";
  static override examples = [
    "<%= config.bin %> config set runMode=virtual-machine cloudProvider=aws",
    "<%= config.bin %> config set serviceKind=grpc-rest-api ports.grpc=3002 --clear ports.websocket",
  ];
  static override args = assignmentArgs;
  static override flags = {
    clear: clearFlag("key", "ports.websocket"),
    ...documentFlags,
  };

  async run() {
    const { args, flags } = await this.parse(ConfigSet);
    const values = parseAssignments(args["key=value"]);
    requireChange(values, flags.clear, "svcm config set serviceKind=rest-api ports.rest=3000");
    return editDocument(this, flags, {
      operation: configurationSet,
      input: { values, clear: flags.clear },
      describeResult: ({ file }) => `Changed the service configuration in ${file}`,
    });
  }
}
