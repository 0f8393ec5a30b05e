import { profileApply } from "../../../core/index.ts";
import { pickEnvironment, dryRunFlag, envFlags, SvcmCommand } from "../../base.ts";
import { assignmentArgs, parseAssignments, profileArg } from "../../terminal/flags.ts";
import { finishWrite, renderDryRun, renderWrite, restartFlag } from "../../terminal/changes.ts";

export default class EnvProfileApply extends SvcmCommand {
  static override summary = "Write an operational profile to an env file.";
  static override description =
    "Writes the fixed values of the profile. For a placeholder, pass KEY=VALUE; otherwise the file keeps its value. Lists the keys that svcm may not write, with the reason, so that you can set them yourself.";
  static override examples = [
    "<%= config.bin %> env profile apply grpc-rest",
    "<%= config.bin %> env profile apply websocket-rest-multi-host SVC_WEBSOCKET_REDIS_URL=redis://10.0.0.5:6379",
    "<%= config.bin %> env profile apply rest --environment ci --dry-run",
  ];
  static override args = {
    profile: profileArg,
    ...assignmentArgs,
  };
  static override flags = {
    ...envFlags,
    "dry-run": { ...dryRunFlag, exclusive: ["restart"] },
    restart: restartFlag,
  };

  async run() {
    const { args, flags } = await this.parse(EnvProfileApply);
    const { profile } = args;
    const values = parseAssignments(args["key=value"]);
    const dryRun = flags["dry-run"];
    const response = await this.execute(profileApply, { ...pickEnvironment(flags), profile, values, dryRun });
    this.log("dryRun" in response ? renderDryRun(response) : renderWrite(response));
    for (const { key, reason } of response.manual) this.log(`Set it yourself: ${key} (${reason}).`);
    if ("dryRun" in response) return response;
    await finishWrite(this, response, { place: pickEnvironment(flags), restart: flags.restart });
    return response;
  }
}
