import { interfaceEdit, interfaceFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { adapterArgs, interfaceFlags, fieldValues } from "../terminal/entry-flags.ts";
import { documentFlags } from "../terminal/flags.ts";
import { editDocument, requireChange } from "../terminal/document-edits.ts";

export default class InterfacesEdit extends SvcmCommand {
  static override summary = "Edit an interface adapter in deployments.yaml.";
  static override examples = [
    "<%= config.bin %> interfaces edit ItemController.list --framework fastify",
    "<%= config.bin %> interfaces edit 2 --controller EventController.stream",
  ];
  static override args = adapterArgs;
  static override flags = { ...interfaceFlags, ...documentFlags };

  async run() {
    const { args, flags } = await this.parse(InterfacesEdit);
    const values = fieldValues(flags, interfaceFields);
    requireChange(values, [], `svcm interfaces edit ${args.adapter} --framework fastify`);
    return editDocument(this, flags, {
      operation: interfaceEdit,
      input: { which: args.adapter, values },
      fields: interfaceFields,
      describeResult: ({ target, file }) => `Changed ${target} in ${file}`,
    });
  }
}
