import * as Flags from "@oclif/core/flags";
import { interval } from "../../core/contract/channel.ts";
import { nodePorts, SvcmError, type Sample } from "../../core/index.ts";
import { ecosystemEnvironmentFlag, SvcmCommand } from "../base.ts";
import { UsageError } from "../terminal/failure.ts";
import { renderMetrics } from "../terminal/metrics.ts";
import { isTerminalBehindStdout, stdoutScreen } from "../terminal/screen.ts";
import type { WatchSource } from "../terminal/watch/source.ts";
import type { Connection } from "../terminal/watch/state.ts";

const TOKEN = "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN";

export default class MetricsWatch extends SvcmCommand {
  static override summary = "Watch the host and the processes that PM2 runs, live.";
  static override description = `In a terminal a full-screen view with keys (? lists them); to a file or another program, or with --json, one JSON line a sample. With --url it watches a remote svcm serve; the token is taken from ${TOKEN}.`;
  static override examples = [
    "<%= config.bin %> metrics watch",
    "<%= config.bin %> metrics watch --environment production --interval 500",
    "<%= config.bin %> metrics watch --url http://127.0.0.1:3200",
    "<%= config.bin %> metrics watch --json | jq .summary",
  ];
  static override flags = {
    environment: ecosystemEnvironmentFlag,
    interval: Flags.integer({
      summary: "Milliseconds between two samples.",
      helpValue: "<ms>",
      min: interval.min,
      max: interval.max,
      default: interval.default,
    }),
    url: Flags.string({ summary: "Address of the service to watch, instead of this machine.", helpValue: "<url>" }),
    once: Flags.boolean({ summary: "Show one sample and end.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(MetricsWatch);
    const { signal } = this;
    const connection = new Listener();
    const source = await sourceOf(flags, connection.tell);
    const isView = isTerminalBehindStdout() && process.env["TERM"] !== "dumb" && !this.jsonEnabled();
    try {
      if (!isView || flags.once) return await this.#print(source, flags, isView, signal);
      const { runWatch } = await import("../terminal/watch/run-watch.ts");
      const { interval: intervalMs, environment = "default environment" } = flags;
      await runWatch(source, { environment, intervalMs, signal, onConnection: connection.listen });
    } catch (error) {
      throw isRefusal(error) ? new SvcmError(kindOf(error.code), { code: error.code, details: error.message }) : error;
    } finally {
      await source.close();
    }
  }

  /** One line a sample, or one sample as text. */
  async #print(
    source: WatchSource,
    { interval: intervalMs, once }: { readonly interval: number; readonly once: boolean },
    isText: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const sample of source.samples(intervalMs, signal)) {
      // The first reading of a sampler has nothing to be compared with.
      if (once && sample.payload.host.cpu.usagePercent === null) continue;
      if (isText && sample.kind === "metrics") this.log(await renderMetrics(sample.payload, stdoutScreen()));
      else this.logJsonLine(lineOf(sample));
      if (once) return;
    }
  }
}

/** While PM2 cannot be read, why stands beside the host. */
function lineOf(sample: Sample): object {
  return sample.kind === "metrics" ? sample.payload : { ...sample.payload, error: sample.error };
}

class Listener {
  #listener: ((connection: Connection) => void) | undefined;
  readonly tell = (connection: Connection): void => this.#listener?.(connection);
  readonly listen = (listener: (connection: Connection) => void): void => {
    this.#listener = listener;
  };
}

interface Asked {
  readonly root?: string | undefined;
  readonly environment?: string | undefined;
  readonly url?: string | undefined;
}

async function sourceOf({ root, environment, url }: Asked, onState: (state: Connection) => void): Promise<WatchSource> {
  const { localSource, remoteSource } = await import("../terminal/watch/source.ts");
  if (url === undefined) return localSource(nodePorts({ root, env: process.env, cwd: process.cwd() }), environment);
  try {
    return await remoteSource({ url, environment, token: process.env[TOKEN], onState });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(
      `--url: ${JSON.stringify(url.slice(0, 80))} is not the address of a service.`,
      "for example --url http://127.0.0.1:3200",
    );
  }
}

/** A refusal of the service, told by its mark. */
function isRefusal(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === "ServiceError" && "code" in error;
}

function kindOf(code: string): "UNAUTHORIZED" | "FORBIDDEN" | "INVALID_REQUEST" {
  return code === "UNAUTHORIZED" || code === "FORBIDDEN" ? code : "INVALID_REQUEST";
}
