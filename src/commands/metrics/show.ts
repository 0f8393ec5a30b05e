import * as Flags from "@oclif/core/flags";
import { metricsShow } from "../../core/index.ts";
import { pickEnvironment, ecosystemFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { renderMetrics } from "../terminal/metrics.ts";

export default class MetricsShow extends NodeCommand {
  static override summary = "Show metrics of the host and of the processes that PM2 runs.";
  static override description =
    "CPU and disk rates are measured over 200 ms. Processes are compared with the environment's ecosystem file. With --async-context, svcm also queries each process with SVC_HTTP_PORT, on 127.0.0.1.";
  static override examples = [
    "<%= config.bin %> metrics show",
    "<%= config.bin %> metrics show --environment production --async-context --json",
  ];
  static override flags = {
    ...ecosystemFlags,
    "async-context": Flags.boolean({
      summary: "Also query the processes for metrics of their async contexts.",
      default: false,
    }),
  };

  async run() {
    const { flags } = await this.parse(MetricsShow);
    const input = { ...pickEnvironment(flags), asyncContext: flags["async-context"] };
    const payload = await this.execute(metricsShow, input);
    this.print((screen) => renderMetrics(payload, screen));
    return payload;
  }
}
