import type { PlaceRequest } from "../project/places.ts";
import type { ErrorCode } from "../api/code.ts";
import type { HostPayload, MetricsPayload } from "../api/metrics.ts";

/** The result of one tick: the metrics, or only the host and the reason why PM2 could not be read. */
export type Sample =
  | { readonly kind: "metrics"; readonly payload: MetricsPayload }
  | {
      readonly kind: "host";
      readonly payload: HostPayload;
      readonly error: { readonly code: ErrorCode; readonly details: string };
    };

export interface MetricsRequest {
  readonly environment: string | undefined;
  /** A service of `svcm.yaml`; without one, the apps of all services count. */
  readonly service?: string | undefined;
  readonly asyncContext: boolean;
}

export interface CollectRequest extends MetricsRequest {
  /** Takes the last measurement if it is younger; by default, measures again. */
  readonly freshMs?: number;
}

export interface WatchRequest extends MetricsRequest {
  /** Beside a faster watcher, this one gets every n-th tick. */
  readonly intervalMs: number;
}

/** Measures processes and host with one sampler for all watchers, at their fastest interval; without watchers it stops. */
export interface Telemetry {
  /**
   * The environment of a request, trimmed and lower-cased.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST for an unknown service
   */
  environment(asked: PlaceRequest): Promise<string>;

  /**
   * Samples until the signal is aborted: the newest at once, if there is one, then one per interval. A slow reader skips
   * samples and gets the newest. Watchers of the same environment and tick get the same object, which is serialised once.
   *
   * The iteration ends without an error on abort and on `close`.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT at the first sample
   */
  watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<Sample>;

  /**
   * One sample with real rates, measured after this call or as fresh as requested: of two readings 200 ms apart, or of the
   * sampler if it runs. Callers during a measurement share the next one.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT
   */
  collect(request: CollectRequest): Promise<Sample>;

  refresh(): void;

  cost(): TelemetryCost;

  close(): Promise<void>;
}

export interface TelemetryCost {
  readonly samples: number;
  readonly listCalls: number;
}
