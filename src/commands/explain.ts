import * as Args from "@oclif/core/args";
import { codeExplain } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { fold } from "./terminal/table.ts";
import { stdoutScreen } from "./terminal/screen.ts";

export default class Explain extends SvcmCommand {
  static override summary = "Explain an error code and how to fix the error.";
  static override examples = ["<%= config.bin %> explain TARGET_PROTOCOL_NOT_EXPOSED"];
  static override args = {
    code: Args.string({
      ignoreStdin: true,
      required: true,
      description: "Code of an error or issue, in upper or lower case.",
    }),
  };

  async run() {
    const { args } = await this.parse(Explain);
    const doc = await this.execute(codeExplain, { code: args.code });
    const { code, topic, summary, explanation, remedy } = doc;
    const parts = [`${code} (${topic})`, summary, ...(explanation === undefined ? [] : [explanation])];
    this.log(fold([...parts, `Next step: ${remedy}`].join("\n\n"), stdoutScreen()));
    return doc;
  }
}
