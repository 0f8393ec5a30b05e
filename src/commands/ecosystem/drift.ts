import * as Flags from "@oclif/core/flags";
import { doubtText, ecosystemDrift } from "../../core/index.ts";
import { allowMissingFlag, pickEnvironment, ecosystemFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { renderDrift, renderUnknown } from "../terminal/metrics.ts";
import { renderIssues } from "../terminal/validation.ts";
import { paint, withVerdict } from "../terminal/screen.ts";
import { pluralize } from "../../core/words/text.ts";

export default class EcosystemDrift extends NodeCommand {
  static override hiddenAliases = ["drift"];
  static override summary = "Compare an ecosystem file with what PM2 runs.";
  static override description =
    "Lists apps that are not running, processes that the file does not declare, and fields that differ: script, folder, interpreter, arguments, instances, mode, watch, environment keys and code. Names the apps whose code or values are unknown. Argument and environment values are never shown. Exits 1 if anything differs, if there is no file, or if a plan refuses it.";
  static override examples = [
    "<%= config.bin %> ecosystem drift --environment production",
    "<%= config.bin %> ecosystem drift --environment production --json",
  ];
  static override flags = {
    ...ecosystemFlags,
    strict: Flags.boolean({ summary: "Also exit 1 if it is unknown what an app runs.", default: false }),
    "allow-missing": allowMissingFlag,
  };

  async run() {
    const { flags } = await this.parse(EcosystemDrift);
    const response = await this.execute(ecosystemDrift, pickEnvironment(flags));
    const { fileName, exists, drift, unknown, issues } = response;
    if (drift.length > 0) {
      this.setExitCode(1);
      const text = `${pluralize(drift.length, "difference")} between ${fileName} and what PM2 runs.`;
      const next = `svcm plan --environment ${response.environment}`;
      this.print((screen) => withVerdict({ text, tone: "attention", next }, renderDrift(drift, screen)));
    } else if (exists && unknown.length + issues.length === 0)
      this.log(paint.green(`PM2 runs what ${fileName} declares.`));
    else if (!exists) await this.logMissingEcosystem(response);
    if (unknown.length > 0) {
      const text = `No difference is known, but ${doubtText(unknown)}.`;
      this.print((screen) => {
        const doubts = renderUnknown(unknown, screen);
        return drift.length > 0 ? doubts : withVerdict({ text, tone: "attention" }, doubts);
      });
    }
    if (issues.length > 0) this.print((screen) => renderIssues(issues, screen));
    const isDoubtful = flags.strict && unknown.length > 0;
    const isMissing = !exists && !flags["allow-missing"];
    if (issues.length > 0 || isDoubtful || isMissing) this.setExitCode(1);
    return response;
  }
}
