import type { HostPayload, MetricsPayload } from "../api/metrics.ts";

/** What a watcher gets a tick: the metrics, or the host alone beside why PM2 could not be read. */
export type Sample =
  | { readonly kind: "metrics"; readonly payload: MetricsPayload }
  | {
      readonly kind: "host";
      readonly payload: HostPayload;
      readonly error: { readonly code: string; readonly details: string };
    };

export interface MetricsRequest {
  /** As it was asked for; without one `NODE_ENV` decides, else the contract's default. */
  readonly environment: string | undefined;
  /** Whether the processes' async-context metrics are scraped, too. */
  readonly asyncContext: boolean;
}

export interface WatchRequest extends MetricsRequest {
  /** 500 to 2000. Who is served at the pace of a faster watcher gets every n-th tick. */
  readonly intervalMs: number;
}

/**
 * Processes and host, measured by one sampler for everybody who asks this object. It samples at the
 * fastest interval of its watchers, and not at all while there is none.
 */
export interface Telemetry {
  /**
   * The environment of a request, trimmed and lower-cased.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT
   */
  environment(asked: string | undefined): Promise<string>;

  /**
   * Samples until the signal is aborted: the newest one at once where there is one, then one an
   * interval. Who is slow skips samples and gets the newest. Watchers of the same environment that
   * are served in the same tick get the same object, so that it needs to be serialised once.
   *
   * The iteration ends without an error on abort and on `close`.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT, when the first sample is asked for.
   */
  watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<Sample>;

  /**
   * One sample with real rates, measured after this call: of two readings 200 ms apart, or of the
   * sampler where it runs. Who asks while one is measured shares the next one.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT
   */
  collect(request: MetricsRequest): Promise<Sample>;

  /** Has PM2 asked anew at once, for everybody who watches: for after an action. */
  refresh(): void;

  /** What telemetry did so far. */
  cost(): TelemetryCost;

  /** Ends every watch and lets go of what sampling holds open. */
  close(): Promise<void>;
}

export interface TelemetryCost {
  /** Measurements of the machine. */
  readonly samples: number;
  /** Times that PM2 was asked for its processes. */
  readonly listCalls: number;
}
