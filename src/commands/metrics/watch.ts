import { foreignCode } from "../../core/api/issue.ts";
import * as Flags from "@oclif/core/flags";
import { interval } from "../../core/api/channel.ts";
import { SvcmError, type Ports, type Sample } from "../../core/index.ts";
import { ecosystemFlags, SvcmCommand } from "../base.ts";
import { ConnectionError, UsageError } from "../terminal/errors.ts";
import { renderHost, renderMetrics } from "../terminal/metrics.ts";
import { canUseFullScreen, isStdoutTerminal, stdoutScreen } from "../terminal/screen.ts";
import type { WatchSource } from "../terminal/watch/source.ts";
import type { Connection } from "../terminal/watch/state.ts";

const TOKEN_VARIABLE = "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN";

export default class MetricsWatch extends SvcmCommand {
  static override hiddenAliases = ["dash", "dashboard", "imonit", "top"];
  static override aliases = ["monit"];
  static override summary = "Watch live metrics of the host and of the processes that PM2 runs.";
  static override description = `In a terminal, opens a full-screen view; press ? for its keys. In a pipe or a file, or with --json, prints one JSON line per sample. With --url, watches svcm serve on another machine; set its token in ${TOKEN_VARIABLE}.`;
  static override examples = [
    "<%= config.bin %> metrics watch",
    "<%= config.bin %> metrics watch --environment production --interval 500",
    "<%= config.bin %> metrics watch --url http://127.0.0.1:3200",
    "<%= config.bin %> metrics watch --json | jq .summary",
  ];
  static override flags = {
    ...ecosystemFlags,
    interval: Flags.integer({
      summary: `Milliseconds between samples, ${interval.min} to ${interval.max}.`,
      helpValue: "<ms>",
      min: interval.min,
      max: interval.max,
      default: interval.default,
    }),
    url: Flags.string({
      summary: "Address of svcm serve on the machine to watch, instead of this one.",
      helpValue: "<url>",
    }),
    once: Flags.boolean({ summary: "Show one sample and exit.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(MetricsWatch);
    const { signal } = this;
    const connection = new ConnectionNotifier();
    const source = await openSource(await this.ports(), flags, connection);
    const isFullScreen = canUseFullScreen() && !flags.once && !this.jsonEnabled();
    try {
      if (!isFullScreen) return await this.#print(source, flags, connection, signal);
      const { runWatch } = await import("../terminal/watch/run-watch.ts");
      const { interval: intervalMs, environment = "default environment" } = flags;
      await runWatch(source, { environment, intervalMs, signal, onConnection: connection.listen });
    } catch (error) {
      throw isServiceError(error) ? asCommandError(error, source.origin) : error;
    } finally {
      await source.close();
    }
  }

  async #print(
    source: WatchSource,
    { interval: intervalMs, once }: { readonly interval: number; readonly once: boolean },
    connection: ConnectionNotifier,
    signal: AbortSignal,
  ): Promise<void> {
    const failed = new AbortController();
    let failure: ConnectionError | undefined;
    connection.listen((_state, reason) => {
      if (reason === undefined) return;
      const error = new ConnectionError(source.origin, reason);
      if (!once) return this.logToStderr(`${error.message}. Trying again.`);
      failure = error;
      failed.abort();
    });
    for await (const sample of source.samples(intervalMs, AbortSignal.any([signal, failed.signal]))) {
      // A sampler needs two readings to compute the CPU usage.
      if (once && sample.payload.host.cpu.usagePercent === null) continue;
      if (once && sample.kind === "host")
        throw new SvcmError("PM2_METRICS_FAILED", {
          code: foreignCode(sample.error.code),
          details: sample.error.details,
        });
      this.#show(sample);
      if (once) return;
    }
    if (failure !== undefined) throw failure;
  }

  #show(sample: Sample): void {
    if (this.jsonEnabled() || !isStdoutTerminal()) this.logJsonLine(jsonLineOf(sample));
    else if (sample.kind === "metrics") this.log(`${renderMetrics(sample.payload, stdoutScreen())}\n`);
    else this.log(`${renderHost(sample.payload)}\n\n${sample.error.code}: ${sample.error.details}\n`);
  }
}

/** If PM2 cannot be read, the line has the host and the reason. */
function jsonLineOf(sample: Sample): object {
  return sample.kind === "metrics" ? sample.payload : { ...sample.payload, error: sample.error };
}

type OnConnection = (connection: Connection, reason?: string) => void;

class ConnectionNotifier {
  #listener: OnConnection | undefined;
  readonly notify: OnConnection = (connection, reason) => this.#listener?.(connection, reason);
  readonly listen = (listener: OnConnection | undefined): void => {
    this.#listener = listener;
  };
}

interface SourceFlags {
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
  readonly url?: string | undefined;
}

async function openSource(
  ports: Ports,
  { environment, service, url }: SourceFlags,
  { notify }: ConnectionNotifier,
): Promise<WatchSource> {
  const { localSource, remoteSource } = await import("../terminal/watch/source.ts");
  if (url === undefined) return localSource(ports, { environment, service });
  const onRetry = (reason: string): void => notify("connecting", reason || "no answer");
  try {
    return await remoteSource({
      url,
      environment,
      service,
      token: process.env[TOKEN_VARIABLE],
      onState: notify,
      onRetry,
    });
  } catch (error) {
    if (error instanceof TypeError) throw invalidUrlError(url);
    throw error;
  }
}

/** A URL with a user or password is not quoted, because errors end up in logs. */
function invalidUrlError(url: string): UsageError {
  if (url.includes("@"))
    return new UsageError(
      "--url contains a user name or password.",
      `set the token in ${TOKEN_VARIABLE}, and leave it out of --url`,
    );
  return new UsageError(
    `--url: ${JSON.stringify(url.slice(0, 80))} is not the URL of a service.`,
    "for example --url http://127.0.0.1:3200",
  );
}

/** Recognises a ServiceError by its property, because the class is not loaded here. */
function isServiceError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === "ServiceError" && "code" in error;
}

function asCommandError({ code, message }: Error & { readonly code: string }, origin: string): Error {
  if (code === "NOT_FOUND") return new ConnectionError(origin, "Unexpected server response: 404");
  const kind = code === "UNAUTHORIZED" || code === "FORBIDDEN" ? code : "INVALID_REQUEST";
  return new SvcmError(kind, { code: foreignCode(code), details: message });
}
