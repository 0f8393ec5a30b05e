import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasClock, MachineReader, HasMachine } from "../../files/ports.ts";
import { hostPayload, type Measured, metricsPayload } from "../payload.ts";
import type { Sample, MetricsPorts } from "../telemetry.ts";
import type { EcosystemWatch } from "./ecosystem-watch.ts";
import type { Scraper } from "./scraper.ts";
import type { Repository, Running } from "../../pm2/ports.ts";
import type { ErrorCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { workingFolders, type ProcessRecord } from "../../pm2/process-record.ts";
import { createStateOf, FactsReader } from "../../running/read-states.ts";
import { isMeasured } from "../../running/read-usage.ts";
import { type RestartObservations, watchRestarts } from "../../running/restarts.ts";
import type { StateOf } from "../../running/state.ts";
import { listScrubbed } from "../../pm2/list.ts";
import { oneAtATime } from "../../words/once.ts";

export interface Measurement {
  readonly epochMs: number;
  readonly measured: Measured;
  readonly listed: ProcessListing;
  /** Keys are environment and async-context flag. */
  readonly samples: Map<string, Promise<Sample>>;
}

/**
 * Reads the machine and, if that is due, lists the processes. If a process of the last reading has ended, requests a
 * new list at once, because PM2 has the outcome.
 */
export async function measure(
  { clock }: HasClock,
  table: ProcessTable,
  meter: Meter,
  list: ListRead,
): Promise<Measurement> {
  let listed = await table.read(list);
  const measuredBefore = meter.alreadyMeasured(pidsOf(listed));
  let measured = await meter.read(pidsOf(listed), clock.elapsed());
  const { processes } = measured.now;
  if (measuredBefore.some((pid) => !processes.has(pid))) {
    listed = await table.read({ isForced: true });
    measured = await meter.read(pidsOf(listed), clock.elapsed());
  }
  return { epochMs: clock.now(), measured, listed, samples: new Map() };
}

function pidsOf(listed: ProcessListing): number[] {
  return "records" in listed ? listed.records.flatMap((record) => (isMeasured(record) ? [record.pid] : [])) : [];
}

export async function sampleOf(
  ports: HasMachine & HasProcesses,
  measurement: Measurement,
  options: {
    readonly environment: string;
    readonly watch: EcosystemWatch;
    readonly scraper: Scraper | undefined;
    readonly isCurrent: boolean;
  },
): Promise<Sample> {
  const { epochMs, measured, listed } = measurement;
  if ("error" in listed) return { kind: "host", payload: hostPayload(measured, epochMs), error: listed.error };
  const { records, stateOf } = listed;
  const payload = metricsPayload({
    environment: options.environment,
    epochMs,
    platform: ports.machine.platform,
    measured,
    records,
    own: ports.processes.ownProcess(),
    stateOf,
    ecosystem: await options.watch.compare(records, { isCurrent: options.isCurrent, stateOf }),
    asyncContext: options.scraper?.resultsFor(records) ?? (() => null),
  });
  return { kind: "metrics", payload };
}

/** Rates over a shorter time would measure single clock ticks. */
const MIN_RATE_MS = 200;

type Reading = Measured["now"] & { readonly atMs: number };

export class Meter {
  readonly #reader: MachineReader;
  #before: Reading | undefined;
  #latest: Reading | undefined;

  constructor(reader: MachineReader) {
    this.#reader = reader;
  }

  /** @param atMs on a monotonic clock; a reading too early does not become the previous one */
  async read(pids: readonly number[], atMs: number): Promise<Measured> {
    const reader = this.#reader;
    const disks = reader.disks();
    const descendants = reader.descendants(pids);
    const all = new Set([...pids, ...[...descendants.values()].flat()]);
    const now = { atMs, host: await reader.host(), descendants, processes: await reader.processes([...all]) };
    const latest = this.#latest;
    if (latest !== undefined && atMs - latest.atMs >= MIN_RATE_MS) this.#before = latest;
    this.#latest = now;
    return { before: this.#before, now, disks: await disks, cpuModel: reader.cpuModel, system: reader.system };
  }

  /** Also resolves after a short time. */
  get settled(): Promise<void> {
    return this.#reader.systemReady;
  }

  alreadyMeasured(pids: readonly number[]): number[] {
    return pids.filter((pid) => this.#latest?.processes.has(pid));
  }

  close(): void {
    this.#reader.close();
  }
}

/** A `list()` costs PM2 ten times as much as reading the processes costs svcm. */
export const LIST_MS = 2000;
/** The time that a tick waits for PM2. A later response is for the next tick. */
const TICK_TIMEOUT_MS = 200;
/** After it, a stream says that PM2 hangs: at the latest five seconds after its last answer. PM2's code is loaded first. */
const HANG_MS = 2500;

interface ListRead {
  readonly isForced: boolean;
  readonly quietListMs?: number;
}

type ProcessListing =
  | {
      readonly records: readonly ProcessRecord[];
      readonly stateOf: StateOf;
    }
  | { readonly error: { readonly code: ErrorCode; readonly details: string } };

const NO_RESPONSE: ProcessListing = {
  error: { code: "PM2_TIMEOUT", details: `PM2 has not answered for ${HANG_MS} ms.` },
};

/** A failed request says more: whether the daemon is suspended, and what lets it go on. */
function silenceAfter(listed: ProcessListing): ProcessListing {
  return "error" in listed ? listed : NO_RESPONSE;
}

/**
 * The list of PM2's processes, requested at most every two seconds and by one request at a time. For the recorder alone,
 * a minute may pass if nothing has changed. If PM2 hangs, ticks do not wait: for a moment, the last list counts.
 */
export class ProcessTable {
  readonly #ports: Repository & Running;
  readonly #listOnce = oneAtATime(() => this.#requestList());
  #pending: Promise<ProcessListing> | undefined;
  #requestedAtMs = 0;
  #latest: { readonly atMs: number; readonly log: string | undefined; readonly listed: ProcessListing } | undefined;
  readonly #facts: FactsReader;
  #restarts: RestartObservations = new Map();
  #calls = 0;

  constructor(ports: MetricsPorts) {
    this.#ports = ports;
    this.#facts = new FactsReader(ports);
  }

  get calls(): number {
    return this.#calls;
  }

  async read({ isForced, quietListMs = LIST_MS }: ListRead): Promise<ProcessListing> {
    const latest = this.#latest;
    if (isForced || latest === undefined) return this.#waitBriefly(isForced ? this.#listOnce() : this.#current());
    const { clock } = this.#ports;
    const ageMs = clock.elapsed() - latest.atMs;
    if (this.#pending !== undefined && clock.elapsed() - this.#requestedAtMs >= HANG_MS)
      return silenceAfter(latest.listed);
    const isDue = ageMs >= LIST_MS && (ageMs >= quietListMs || "error" in latest.listed || this.#hasLogged(latest.log));
    return isDue && this.#pending === undefined ? this.#waitBriefly(this.#listOnce()) : latest.listed;
  }

  /** PM2 logs each start and end of a process. Without a log, as in containers, it may have changed at any time. */
  #hasLogged(since: string | undefined): boolean {
    return since === undefined || since !== this.#logStamp();
  }

  #logStamp(): string | undefined {
    const { stamps, workspace } = this.#ports;
    return stamps.read([`${workspace.pm2Home}/pm2.log`])[0]?.id;
  }

  #current(): Promise<ProcessListing> {
    return this.#pending ?? this.#listOnce();
  }

  /** A list requested after this call. If PM2 hangs, all callers share one time-out. */
  async refresh(): Promise<ProcessListing> {
    const pending = this.#pending;
    const next = this.#listOnce();
    const first = await (pending === undefined ? next : Promise.race([pending, next]));
    return "error" in first && first.error.code === "PM2_TIMEOUT" ? first : next;
  }

  async #waitBriefly(request: Promise<ProcessListing>): Promise<ProcessListing> {
    const ms = this.#latest === undefined ? HANG_MS : TICK_TIMEOUT_MS;
    const timer = new AbortController();
    const pause = this.#ports.clock.sleep(ms, timer.signal).catch(() => undefined);
    try {
      return (await Promise.race([request, pause.then(() => undefined)])) ?? this.#latest?.listed ?? NO_RESPONSE;
    } finally {
      timer.abort();
    }
  }

  #requestList(): Promise<ProcessListing> {
    const log = this.#logStamp();
    this.#requestedAtMs = this.#ports.clock.elapsed();
    const request = this.#list().then((listed) => {
      this.#latest = { atMs: this.#ports.clock.elapsed(), log, listed };
      return listed;
    });
    this.#pending = request;
    const end = (): void => void (this.#pending = undefined);
    request.then(end, end);
    return request;
  }

  async #list(): Promise<ProcessListing> {
    this.#calls += 1;
    try {
      const { clock, stamps } = this.#ports;
      const records = await listScrubbed(this.#ports);
      this.#restarts = watchRestarts(this.#restarts, records, clock.elapsed());
      const facts = await this.#facts.read(records);
      const missingFolders = stamps.missing(workingFolders(records));
      const stateOf = createStateOf(this.#ports, { facts, missingFolders, restarts: this.#restarts });
      return { records, stateOf };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { code = error.kind, details = error.message } = error.body;
      return { error: { code, details } };
    }
  }
}
