import type { Ports } from "../ports/index.ts";
import type { Alerting } from "../ports/alerts.ts";
import type { AlertSettings } from "../project/project.ts";
import { STEP_MS } from "../history/step.ts";
import { conditionsOf } from "./conditions.ts";
import { MemoryTrend } from "./growth.ts";
import { holdOffsOf, judge, NOTHING_HELD } from "./hold.ts";
import { messageOf } from "./message.ts";

/** One heartbeat a minute. */
const BEAT_EVERY = 6;

/** Watches nothing before it is started. */
export function createAlerting(ports: Ports): Alerting {
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  return {
    start(settings, onProblem) {
      if (running !== undefined) return;
      const stop = new AbortController();
      running = { stop, ended: watchConditions(ports, settings, onProblem, stop.signal).catch(onProblem) };
    },
    async stop() {
      running?.stop.abort();
      await running?.ended;
      running = undefined;
    },
  };
}

/** A slow receiver delays later messages but never the samples. */
async function watchConditions(
  ports: Ports,
  settings: AlertSettings,
  onProblem: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, notifier, telemetry } = ports;
  const holdOffs = holdOffsOf(settings);
  const trend = new MemoryTrend();
  let memory = NOTHING_HELD;
  let samples = 0;
  let sending = Promise.resolve();
  const request = { environment: undefined, asyncContext: false, intervalMs: STEP_MS };
  for await (const sample of telemetry.watch(request, signal)) {
    const judged = judge(memory, conditionsOf(sample, trend.add(sample)), clock.elapsed(), holdOffs);
    memory = judged.memory;
    for (const report of judged.reports) {
      const message = messageOf(ports, report);
      sending = sending.then(() => notifier.send(settings, message)).catch(onProblem);
    }
    if (samples % BEAT_EVERY === 0) notifier.sendHeartbeat(settings).catch(onProblem);
    samples += 1;
  }
  await sending;
}
