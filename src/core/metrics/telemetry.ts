import type { EnvironmentRequest } from "../project/resolve.ts";
import type { Caller } from "../access/operation.ts";
import type { ErrorCode } from "../api/issue.ts";
import type { HostPayload, MetricsPayload } from "../api/metrics.ts";
import type { HasDeployed } from "../rollout/port-deployed.ts";
import type { RolloutPorts } from "../rollout/ports.ts";

/** Without PM2, only the metrics of the host and the reason. */
export type Sample =
  | { readonly kind: "metrics"; readonly payload: MetricsPayload }
  | {
      readonly kind: "host";
      readonly payload: HostPayload;
      readonly error: { readonly code: ErrorCode; readonly details: string };
    };

export interface MetricsRequest {
  readonly limits?: Caller["limits"];
  /** Without it, that of the machine. */
  readonly environment: string | undefined;
  /** Without it, the apps of all services count. */
  readonly service?: string | undefined;
  readonly asyncContext: boolean;
  /** Of its processes and its host first of all: without a known environment, only the comparison is missing. */
  readonly isOfMachine?: boolean;
}

export interface CollectRequest extends MetricsRequest {
  /** A younger measurement is accepted; by default none. */
  readonly freshMs?: number;
}

export interface WatchRequest extends MetricsRequest {
  /** Next to a faster watcher, this one gets every n-th tick. */
  readonly intervalMs: number;
  /**
   * PM2's list may be this old if `pm2.log` has not changed since and no listed process has ended; by default, two
   * seconds in any case. With several watchers, the shortest time counts.
   */
  readonly quietListMs?: number;
}

/** One sampler for all watchers, at their shortest interval. Without watchers it stops. */
export interface Telemetry {
  /**
   * The environment of a request, trimmed and lower-cased; by default that of the machine, as for a plan.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST for an unknown service
   */
  environment(request: EnvironmentRequest, caller: Pick<MetricsRequest, "limits">): Promise<string>;

  /**
   * Yields samples until the signal is aborted: first the newest existing one, then one per interval. A slow reader
   * skips samples and gets the newest. Watchers of the same environment and tick get the same object, which is
   * serialised once.
   *
   * On abort and on `close`, the iteration ends without an error.
   *
   * @throws {SvcmError} INVALID_ENVIRONMENT at the first sample
   */
  watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<Sample>;

  /**
   * Returns one sample with real rates, measured after this call or as fresh as requested: from two readings 200 ms
   * apart, or from the sampler if it is running. Callers that arrive during a measurement share the next one.
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

export interface HasTelemetry {
  /** One per server, so that all watchers share one sampler. */
  readonly telemetry: Telemetry;
}

/** The ports of the larger functions of this room. */
export interface MetricsPorts extends RolloutPorts, HasAsyncContext, HasDeployed, HasTelemetry {}

export interface AsyncContext {
  /** Keeps connections open until it is closed. */
  open(): AsyncContextClient;
}

export interface AsyncContextClient {
  /**
   * `GET http://127.0.0.1:<port>/async-context-metrics` without credentials and redirects, with limits for size and
   * time. Never throws.
   */
  get(port: number): Promise<AsyncContextResult>;

  close(): Promise<void>;
}

export type AsyncContextResult =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  | { readonly kind: "too-large"; readonly status: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "unreachable"; readonly code: string };

export interface HasAsyncContext {
  readonly asyncContext: AsyncContext;
}

const SAMPLES_PER_LOOK = 6;

/** Yields the samples of this machine's environment, also after an apply of another one. */
export async function* watchMachine(
  { telemetry }: HasTelemetry,
  timing: Pick<WatchRequest, "intervalMs" | "quietListMs">,
  signal: AbortSignal,
): AsyncGenerator<Sample, void, undefined> {
  const request = { ...timing, environment: undefined, asyncContext: false, isOfMachine: true };
  for (let hasMoved = true; hasMoved && !signal.aborted;) {
    hasMoved = false;
    let samples = 0;
    for await (const sample of telemetry.watch(request, signal)) {
      samples += 1;
      if (sample.kind === "metrics" && samples % SAMPLES_PER_LOOK === 0) {
        const { environment, ecosystem } = sample.payload;
        // While svcm.yaml is half written, the present environment stays.
        const present = await telemetry.environment(request, {}).catch(() => environment);
        hasMoved = present !== environment || ecosystem.code === "ENVIRONMENT_REQUIRED";
      }
      if (hasMoved) break;
      yield sample;
    }
  }
}
