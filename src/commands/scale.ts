import { shellQuote } from "../core/words/text.ts";
import * as Args from "@oclif/core/args";
import { processScale, type ProcessScaleResult } from "../core/index.ts";
import { integerArg } from "./terminal/flags.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { showProgress, processFlags, waitFlag } from "./terminal/process-action.ts";
import { readTimeout } from "./terminal/numbers.ts";

export default class ProcessScale extends NodeCommand {
  static override hiddenAliases = ["process:scale"];
  static override summary = "Change the number of processes of an app.";
  static override description =
    "New processes run as the others do. They start one after another, each when the one before has been online for one second. To scale down, svcm deletes the newest first. In fork mode, several processes can share a port only if the app listens with reusePort. The ecosystem file does not change.";
  static override examples = ["<%= config.bin %> scale api 4", "<%= config.bin %> scale api 2 --namespace backend"];
  static override args = {
    name: Args.string({ ignoreStdin: true, required: true, description: "Exact name of an app." }),
    count: integerArg({ name: "count", min: 1, max: 1000, description: "New number of processes." }),
  };
  static override flags = { namespace: processFlags.namespace, wait: waitFlag, timeout: processFlags.timeout };

  async run() {
    const { args, flags } = await this.parse(ProcessScale);
    const { name, count: instances } = args;
    const input = {
      name,
      instances,
      namespace: flags.namespace,
      wait: flags.wait || undefined,
      timeoutMs: readTimeout(flags.timeout),
    };
    const progress = showProgress(
      this,
      `Scaling ${name} to ${instances}`,
      "waiting until PM2 lists each process as online",
    );
    const result = await this.execute(processScale, input, { report: progress.report }).finally(progress.end);
    this.log(render(result));
    return result;
  }
}

function render({ name, from, to, now }: ProcessScaleResult): string {
  const done = from === to ? `${name} already runs with ${to}.` : `Scaled ${name} from ${from} to ${to}.`;
  if (now === to) return done;
  return `${done} Now PM2 lists ${now}: another command changed the number at the same time. Next: svcm scale ${shellQuote(name)} ${to}`;
}
