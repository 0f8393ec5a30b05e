import type { AlertsPorts, Alerting } from "./ports.ts";
import type { AlertSettings } from "../project/project.ts";
import { STEP_MS } from "../history/step.ts";
import { watchMachine } from "../metrics/telemetry.ts";
import { bootConditions, findConditions, type Condition, MemoryTrend } from "./conditions.ts";
import { findMute } from "./muted.ts";
import { readHoldOffs, updateAlerts, INITIAL_STATE, alertMessage } from "./alert-state.ts";

const SAMPLES_PER_HEARTBEAT = 6;

export function createAlerting(ports: AlertsPorts): Alerting {
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
  ports: AlertsPorts,
  settings: AlertSettings,
  onProblem: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { bootOutlook, clock, marks, notifier } = ports;
  const holdOffs = readHoldOffs(settings);
  const trend = new MemoryTrend();
  let state = INITIAL_STATE;
  const store = await marks();
  let samples = 0;
  let unread = "";
  let sending = Promise.resolve();
  for await (const sample of watchMachine(ports, { intervalMs: STEP_MS }, signal)) {
    const conditions = [...findConditions(sample, trend.add(sample)), ...bootConditions(bootOutlook.last())];
    // If the mutes cannot be read, nothing is muted.
    const muting = await store.read().catch((error: unknown) => {
      if (unread !== String(error)) onProblem(error);
      unread = String(error);
      return [];
    });
    const isMuted = ({ app, kind }: Condition): boolean =>
      findMute(muting, { subject: app, kind }, clock.now()) !== undefined;
    const update = updateAlerts(state, conditions, clock.elapsed(), holdOffs, isMuted);
    state = update.state;
    for (const report of update.reports) {
      const message = alertMessage(ports, report);
      sending = sending.then(() => notifier.send(settings, message)).catch(onProblem);
    }
    if (samples % SAMPLES_PER_HEARTBEAT === 0) notifier.sendHeartbeat(settings).catch(onProblem);
    samples += 1;
  }
  await sending;
}
