import * as Args from "@oclif/core/args";
import { interfaceEdit, interfaceFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { interfaceFlags, documentFlags, valuesOf } from "../terminal/entry-flags.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { askEdit, tellEdit } from "../terminal/document-edits.ts";

export default class InterfacesEdit extends SvcmCommand {
  static override summary = "Edit an interface adapter in deployments.yaml.";
  static override examples = [
    "<%= config.bin %> interfaces edit ItemController.list --framework fastify",
    "<%= config.bin %> interfaces edit 2 --controller EventController.stream",
  ];
  static override args = {
    adapter: Args.string({
      ignoreStdin: true,
      description: "Controller mapping of the adapter, or its number in svcm interfaces list.",
      required: true,
    }),
  };
  static override flags = { ...interfaceFlags, ...documentFlags };

  async run() {
    const { args, flags } = await this.parse(InterfacesEdit);
    const values = valuesOf(flags, interfaceFields);
    if (Object.keys(values).length === 0)
      throw new UsageError(
        "Nothing to change: no field was given.",
        `svcm interfaces edit ${args.adapter} --framework fastify`,
      );
    const input = { file: flags.file, dryRun: flags["dry-run"], which: args.adapter, values };
    const response = await askEdit(interfaceEdit, flags, input, interfaceFields);
    await tellEdit(this, response, `Changed ${response.target} in ${response.file}`);
    return response;
  }
}
