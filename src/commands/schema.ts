import * as Args from "@oclif/core/args";
import { schemaNames, schemaShow } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";

export default class Schema extends SvcmCommand {
  static override summary =
    "Print a JSON Schema, or the AsyncAPI description of the WebSocket, for editors and other tools.";
  static override examples = [
    "<%= config.bin %> schema deployments > schemas/service-management.v1.schema.json",
    "<%= config.bin %> schema runtime-contract > runtime-contract.schema.json",
  ];
  static override args = {
    document: Args.option({ ignoreStdin: true, options: schemaNames, description: "Schema to print." })({
      required: true,
    }),
  };

  async run() {
    const { args } = await this.parse(Schema);
    const schema = await this.execute(schemaShow, { document: args.document });
    this.log(JSON.stringify(schema, null, 2));
    return schema;
  }
}
