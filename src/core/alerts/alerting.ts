import type { AlertSettings } from "../project/project.ts";
import { STEP_MS } from "../history/step.ts";
import { type Sample, watchMachine } from "../metrics/telemetry.ts";
import {
  type AlertRecord,
  reportedAlerts,
  restoredState,
  type Unsent,
  type Waiting,
  waitingAlerts,
} from "./alert-record.ts";
import { alertMessage, type AlertState, type HoldOffs, readHoldOffs, updateAlerts } from "./alert-state.ts";
import { bootConditions, findConditions, isUndecided, MemoryTrend } from "./conditions.ts";
import { findMute } from "./muted.ts";
import { Outbox } from "./outbox.ts";
import type { Alerting, AlertRecords, AlertsPorts } from "./ports.ts";

const SAMPLES_PER_HEARTBEAT = 6;

type OnProblem = (error: unknown) => void;

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

/** Goes on after an error, such as that of a broken `svcm.yaml`. A slow receiver never delays the samples. */
async function watchConditions(
  ports: AlertsPorts,
  settings: AlertSettings,
  onProblem: OnProblem,
  signal: AbortSignal,
): Promise<void> {
  const { clock, notifier } = ports;
  const onFailure = onChange(onProblem);
  const keeper = new RecordKeeper(ports, await ports.alertRecords(), onChange(onProblem));
  const before = await keeper.read();
  const outbox = new Outbox({ settings, notifier, onProblem }, before?.unsent ?? []);
  const holdOffs = readHoldOffs(settings);
  const judge = await createJudge(ports, holdOffs, onChange(onProblem));
  let state = restoredState(before ?? { reported: [] }, clocks(clock), holdOffs);
  let samples = 0;
  let work = Promise.resolve();
  const deliver = async (): Promise<void> => {
    await keeper.save(state, outbox.unsent);
    await outbox.deliver(clock.now(), clock.elapsed());
    await keeper.save(state, outbox.unsent);
  };
  const take = async (sample: Sample): Promise<void> => {
    const update = await judge(state, sample);
    ({ state } = update);
    outbox.add(update.reports.map((report) => alertMessage(ports, report)));
    work = deliver();
    if (samples % SAMPLES_PER_HEARTBEAT === 0) notifier.sendHeartbeat(settings).catch(onProblem);
    samples += 1;
  };
  for (let hasFailed = true; hasFailed && !signal.aborted;) {
    hasFailed = false;
    try {
      for await (const sample of watchMachine(ports, { intervalMs: STEP_MS }, signal)) await take(sample);
    } catch (error) {
      hasFailed = true;
      onFailure(error);
      await clock.sleep(STEP_MS, signal).catch(() => undefined);
    }
  }
  await work;
  await keeper.end(state, outbox.unsent);
}

/** The same problem is not reported again in a row. */
function onChange(onProblem: OnProblem): OnProblem {
  let last = "";
  return (error) => {
    if (String(error) !== last) onProblem(error);
    last = String(error);
  };
}

type Judge = (state: AlertState, sample: Sample) => Promise<ReturnType<typeof updateAlerts>>;

async function createJudge(ports: AlertsPorts, holdOffs: HoldOffs, onProblem: OnProblem): Promise<Judge> {
  const { bootOutlook, clock } = ports;
  const trend = new MemoryTrend();
  const marks = await ports.marks();
  return async (state, sample) => {
    const boot = bootOutlook.last();
    const conditions = [...findConditions(sample, trend.add(sample)), ...bootConditions(boot)];
    // If the mutes cannot be read, nothing is muted.
    const muting = await marks.read().catch((error: unknown) => {
      onProblem(error);
      return [];
    });
    return updateAlerts(state, conditions, clock.elapsed(), {
      holdOffs,
      isMuted: ({ app, kind }) => findMute(muting, { subject: app, kind }, clock.now()) !== undefined,
      isUndecided: (condition) => isUndecided(condition, { sample, trend, boot }),
    });
  };
}

function clocks(clock: AlertsPorts["clock"]) {
  return { nowMs: clock.now(), elapsedMs: clock.elapsed() };
}

/** Writes the record only if something has changed in it. If it cannot, alerts are sent all the same. */
class RecordKeeper {
  readonly #ports: AlertsPorts;
  readonly #records: AlertRecords;
  readonly #onProblem: OnProblem;
  #kept = EMPTY;
  #saving = Promise.resolve();

  constructor(ports: AlertsPorts, records: AlertRecords, onProblem: OnProblem) {
    this.#ports = ports;
    this.#records = records;
    this.#onProblem = onProblem;
  }

  async read(): Promise<AlertRecord | undefined> {
    const { host, workspace } = this.#ports;
    const record = await this.#records.read().catch((error: unknown) => {
      this.#onProblem(error);
      return undefined;
    });
    if (record?.host !== host.name() || record.pm2Home !== workspace.pm2Home) return undefined;
    // It may have alerts of rules that are off now.
    this.#kept = "";
    return record;
  }

  /** The next server goes on with what this one has seen, but not reported. */
  async end(state: AlertState, unsent: readonly Unsent[]): Promise<void> {
    const waiting = waitingAlerts(state, clocks(this.#ports.clock));
    if (waiting !== undefined) await this.#write(state, unsent, waiting);
  }

  save(state: AlertState, unsent: readonly Unsent[]): Promise<void> {
    const times = [...state.active].map(([key, { reportedMs }]) => [key, reportedMs]);
    const content = JSON.stringify([times.filter(([, ms]) => ms !== undefined), unsent]);
    if (content === this.#kept) return this.#saving;
    this.#kept = content;
    return this.#write(state, unsent);
  }

  #write(state: AlertState, unsent: readonly Unsent[], waiting?: Waiting): Promise<void> {
    const { clock, host, workspace } = this.#ports;
    const record = {
      version: 1 as const,
      host: host.name(),
      pm2Home: workspace.pm2Home,
      reported: reportedAlerts(state, clocks(clock)),
      ...(waiting !== undefined && { waiting }),
      unsent,
    };
    this.#saving = this.#saving.then(() => this.#records.save(record)).catch(this.#onProblem);
    return this.#saving;
  }
}

/** Nothing to keep, and so no file. */
const EMPTY = JSON.stringify([[], []]);
