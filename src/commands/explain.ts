import * as Args from "@oclif/core/args";
import { codeExplain } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { ask } from "./terminal/ask.ts";

export default class Explain extends SvcmCommand {
  static override summary = "Tell what a code means, and what to do about it.";
  static override examples = ["<%= config.bin %> explain TARGET_PROTOCOL_NOT_EXPOSED"];
  static override args = {
    code: Args.string({ required: true, description: "Code of an error or issue, in any case." }),
  };

  async run() {
    const { args, flags } = await this.parse(Explain);
    const doc = await ask(codeExplain, flags, { code: args.code });
    this.log(
      [`${doc.code} (${doc.topic})`, "", doc.summary, ...(doc.explanation ? ["", doc.explanation] : [])].join("\n"),
    );
    return doc;
  }
}
