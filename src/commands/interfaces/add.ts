import { interfaceAdd, interfaceFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { interfaceFlags } from "../terminal/entry-flags.ts";
import { documentFlags } from "../terminal/flags.ts";
import { addEntry } from "../terminal/document-edits.ts";

export default class InterfacesAdd extends SvcmCommand {
  static override summary = "Add an interface adapter to deployments.yaml.";
  static override description =
    "svcm validates the adapter first, and does not touch the file if it is invalid. In a terminal, svcm asks for missing fields.";
  static override examples = [
    "<%= config.bin %> interfaces add --type sse --framework fastify --entrypoint src/interface/HTTP/events.ts --controller EventController.stream",
  ];
  static override flags = { ...interfaceFlags, ...documentFlags };

  async run() {
    const { flags } = await this.parse(InterfacesAdd);
    return addEntry(this, flags, { operation: interfaceAdd, section: "interfaces", fields: interfaceFields });
  }
}
