import * as Flags from "@oclif/core/flags";
import { envPlan, envWrite } from "../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { parseAssignments } from "../terminal/assignments.ts";
import { renderPlan, renderWrite } from "../terminal/changes.ts";
import { UsageError } from "../terminal/failure.ts";
import { stdoutScreen } from "../terminal/screen.ts";

export default class EnvSet extends SvcmCommand {
  static override summary = "Change editable keys of one environment's env file.";
  static override description =
    "Values are validated against the runtime contract; nothing is written unless all are good. Only the asked lines change, byte for byte, in one atomic, audited write.";
  static override examples = [
    "<%= config.bin %> env set SVC_HTTP_FRAMEWORK=fastify",
    "<%= config.bin %> env set SVC_REALTIME_API=yes SVC_REALTIME_API_PROTOCOL=grpc --environment staging",
    "<%= config.bin %> env set SVC_HTTP_FRAMEWORK=fastify --dry-run",
  ];
  static override usage = "env set KEY=VALUE... [--environment <name>] [--dry-run] [--root <dir>] [--json]";
  static override strict = false;
  static override flags = {
    environment: environmentFlag,
    "dry-run": Flags.boolean({ summary: "Show the lines that would change; write nothing.", default: false }),
  };

  async run() {
    const { flags, argv } = await this.parse(EnvSet);
    const values = parseAssignments(argv.map(String));
    if (argv.length === 0) throw new UsageError("Nothing to set.", "svcm env set SVC_HTTP_FRAMEWORK=fastify");
    const input = { environment: flags.environment, values, foreignKeys: "refuse" as const };
    if (flags["dry-run"]) {
      const plan = await ask(envPlan, flags, input);
      this.log(await renderPlan(plan, stdoutScreen()));
      return plan;
    }
    const { response } = await ask(envWrite, flags, input);
    this.log(renderWrite(response));
    return response;
  }
}
