import * as Flags from "@oclif/core/flags";
import { metricsShow } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { renderMetrics } from "../terminal/metrics.ts";
import { stdoutScreen } from "../terminal/screen.ts";

export default class MetricsShow extends SvcmCommand {
  static override summary = "Measure the host and the processes that PM2 runs, once.";
  static override description =
    "CPU and disk rates are measured over 200 ms. Processes are compared with the ecosystem file of the environment. With --async-context, svcm also asks each process that has SVC_HTTP_PORT, on 127.0.0.1.";
  static override examples = [
    "<%= config.bin %> metrics show",
    "<%= config.bin %> metrics show --environment production --async-context --json",
  ];
  static override flags = {
    environment: ecosystemEnvironmentFlag,
    "async-context": Flags.boolean({
      summary: "Also ask the processes for the metrics of their async contexts.",
      default: false,
    }),
  };

  async run() {
    const { flags } = await this.parse(MetricsShow);
    const input = { environment: flags.environment, asyncContext: flags["async-context"] };
    const payload = await ask(metricsShow, flags, input);
    if (!this.jsonEnabled()) this.log(renderMetrics(payload, stdoutScreen()));
    return payload;
  }
}
