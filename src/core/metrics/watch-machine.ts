import type { HasTelemetry, Sample, WatchRequest } from "./telemetry.ts";

const SAMPLES_PER_LOOK = 6;

/** Yields the samples of this machine's environment, also after an apply of another one. */
export async function* watchMachine(
  { telemetry }: HasTelemetry,
  timing: Omit<WatchRequest, "environment" | "asyncContext" | "limits">,
  signal: AbortSignal,
): AsyncGenerator<Sample, void, undefined> {
  const request = { ...timing, environment: undefined, asyncContext: false };
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
