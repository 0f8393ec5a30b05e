import { envPlan, envWrite } from "../../core/index.ts";
import { pickEnvironment, dryRunFlag, envFlags, SvcmCommand } from "../base.ts";
import { assignmentArgs, parseAssignments } from "../terminal/flags.ts";
import { finishWrite, renderDryRun, renderWrite, restartFlag } from "../terminal/changes.ts";
import { UsageError } from "../terminal/errors.ts";

export default class EnvSet extends SvcmCommand {
  static override summary = "Change editable keys in an env file.";
  static override description =
    "Validates every value against the runtime contract, and writes nothing unless all are accepted. Only the lines of these keys change. The write is atomic and recorded in the audit log.";
  static override examples = [
    "<%= config.bin %> env set PAGE_SIZE=50",
    "<%= config.bin %> env set PAGE_SIZE=50 LOG_LEVEL=warn --environment production",
    "<%= config.bin %> env set PAGE_SIZE=50 --dry-run",
  ];
  static override args = assignmentArgs;
  static override flags = {
    ...envFlags,
    "dry-run": { ...dryRunFlag, exclusive: ["restart"] },
    restart: restartFlag,
  };

  async run() {
    const { args, flags } = await this.parse(EnvSet);
    const values = parseAssignments(args["key=value"]);
    if (Object.keys(values).length === 0)
      throw new UsageError("Nothing to set: no KEY=VALUE was given.", "svcm env set PAGE_SIZE=50");
    const input = { ...pickEnvironment(flags), values, foreignKeys: "refuse" as const };
    if (flags["dry-run"]) {
      const plan = await this.execute(envPlan, input);
      this.log(renderDryRun(plan));
      return plan;
    }
    const { response } = await this.execute(envWrite, input);
    this.log(renderWrite(response));
    await finishWrite(this, response, { place: pickEnvironment(flags), restart: flags.restart });
    return response;
  }
}
