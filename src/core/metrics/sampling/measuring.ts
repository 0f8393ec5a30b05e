import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasClock, MachineReader, HasMachine } from "../../files/port-machine.ts";

import { hostPayload, type Measured, metricsPayload } from "../payload.ts";
import type { Sample } from "../telemetry.ts";
import type { EcosystemWatch } from "./ecosystem-watch.ts";
import type { ProcessListing, ListRead, ProcessTable } from "./process-table.ts";
import type { Scraper } from "./scraper.ts";

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
  return "records" in listed ? listed.records.flatMap(({ pid }) => (pid === null ? [] : [pid])) : [];
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
