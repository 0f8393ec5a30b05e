import * as Flags from "@oclif/core/flags";
import { profileApply } from "../../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../../base.ts";
import { ask } from "../../terminal/ask.ts";
import { parseAssignments } from "../../terminal/assignments.ts";
import { renderPlan, renderWrite } from "../../terminal/changes.ts";
import { UsageError } from "../../terminal/failure.ts";
import { stdoutScreen } from "../../terminal/screen.ts";

export default class EnvProfileApply extends SvcmCommand {
  static override summary = "Write an operational profile to one environment's env file.";
  static override description =
    "Fixed assignments are written; a placeholder takes the KEY=VALUE given here, else the value that the file holds. Keys outside the write allowlist are named with the reason and left to you.";
  static override examples = [
    "<%= config.bin %> env profile apply grpc-rest",
    "<%= config.bin %> env profile apply websocket-rest-multi-host SVC_WEBSOCKET_REDIS_URL=redis://10.0.0.5:6379",
    "<%= config.bin %> env profile apply rest --environment ci --dry-run",
  ];
  static override usage = "env profile apply PROFILE [KEY=VALUE...] [--environment <name>] [--dry-run] [--json]";
  static override strict = false;
  static override flags = {
    environment: environmentFlag,
    "dry-run": Flags.boolean({ summary: "Show the lines that would change; write nothing.", default: false }),
  };

  async run() {
    const { flags, argv } = await this.parse(EnvProfileApply);
    const [profile, ...assignments] = argv.map(String);
    if (profile === undefined) throw new UsageError("No profile is named.", "svcm env profile list shows them");
    const values = parseAssignments(assignments);
    const dryRun = flags["dry-run"];
    const response = await ask(profileApply, flags, { environment: flags.environment, profile, values, dryRun });
    this.log("dryRun" in response ? await renderPlan(response, stdoutScreen()) : renderWrite(response));
    for (const { key, reason } of response.manual) this.log(`Left to you: ${key} (${reason}).`);
    return response;
  }
}
