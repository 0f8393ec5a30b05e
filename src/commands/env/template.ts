import * as Flags from "@oclif/core/flags";
import { envTemplate, isValid } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { renderIssues } from "../terminal/validation.ts";
import { paint } from "../terminal/screen.ts";

export default class EnvTemplate extends SvcmCommand {
  static override summary = "Print a template of an env file, or check that both have the same keys.";
  static override description =
    "Prints the keys of the env file with empty values, or with the default of an editable key. With --check, compares the keys with the template: the file that svcm.yaml names, or .env.example beside the env file. A key that is commented out in the template is optional. Values are neither shown nor compared.";
  static override examples = [
    "<%= config.bin %> env template > .env.example",
    "<%= config.bin %> env template --environment production",
  ];
  static override flags = {
    ...envFlags,
    check: Flags.boolean({ summary: "Compare with the template; exit 1 if the keys differ.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(EnvTemplate);
    const response = await this.execute(envTemplate, { ...pickEnvironment(flags), check: flags.check });
    const { text, issues, fileName, template } = response;
    if (text !== undefined) this.logExactly(text.trimEnd());
    if (issues === undefined) return response;
    if (!isValid(issues)) this.setExitCode(1);
    if (issues.length === 0) this.log(paint.green(`${fileName} and ${template} have the same keys.`));
    else this.print((screen) => renderIssues(issues, screen));
    return response;
  }
}
