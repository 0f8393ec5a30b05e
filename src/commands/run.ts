import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { processRun, type ProcessRunResult } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { renderLogLines } from "./terminal/log-lines.ts";
import { processFlags } from "./terminal/process-action.ts";
import { readTimeout } from "./terminal/numbers.ts";

/** A run that failed without an exit code, and one that has not ended. */
const FAILED = 1;
const NOT_ENDED = 3;

export default class Run extends SvcmCommand {
  static override summary = "Run a job or task once.";
  static override description =
    "Starts an app with autorestart: false that PM2 knows, shows its log, and exits with its exit code. The schedule of a job stays as it is. Exits 3 if the run has not ended at the time limit; it goes on running.";
  static override examples = ["<%= config.bin %> run nightly", "<%= config.bin %> run nightly --timeout 1h"];
  static override args = {
    name: Args.string({ ignoreStdin: true, required: true, description: "Exact name of an app." }),
  };
  static override flags = {
    namespace: processFlags.namespace,
    timeout: Flags.string({ summary: "Time limit, from 1s to 1h. Defaults to 10m.", helpValue: "<time>" }),
  };

  async run() {
    const { args, flags } = await this.parse(Run);
    const { name } = args;
    const ended = new AbortController();
    const following = this.#follow(name, AbortSignal.any([this.signal, ended.signal]));
    const input = { name, namespace: flags.namespace, timeoutMs: readTimeout(flags.timeout) };
    const execution = this.execute(processRun, input, { signal: this.signal });
    await Promise.allSettled([execution]);
    // The log is read at most every 100 ms, and PM2 writes the last lines together with the end.
    setTimeout(() => ended.abort(), LAST_LINES_MS);
    await following;
    const result = await execution;
    this.log(`${name} (id ${result.pmId}): ${result.details}`);
    const code = exitCodeOf(result);
    if (code !== 0) this.setExitCode(code);
    return result;
  }

  async #follow(name: string, signal: AbortSignal): Promise<void> {
    if (this.jsonEnabled()) return;
    try {
      const ports = await this.ports();
      for await (const { lines } of ports.logs.watch({ app: name, tail: 0, isLossless: true }, signal))
        if (lines.length > 0) this.print((screen) => renderLogLines(lines, screen));
    } catch {
      // The result says what happened, and a log that cannot be read does not stop the run.
    }
  }
}

const LAST_LINES_MS = 400;

function exitCodeOf({ outcome, exitCode }: ProcessRunResult): number {
  if (outcome === "running") return NOT_ENDED;
  return outcome === "failed" ? (exitCode ?? FAILED) : 0;
}
