import type { HostPayload } from "../../api/metrics.ts";
import type { Ports } from "../../ports/index.ts";
import { findProblem } from "../../pm2/problem.ts";
import { hostPayload, type Measured, metricsPayload } from "../payload.ts";
import type { Sample } from "../telemetry.ts";
import type { EcosystemWatch } from "./ecosystem-watch.ts";
import type { Listed, ListRead, ProcessTable } from "./process-table.ts";
import type { Scraper } from "./scraper.ts";
import type { MachineReader } from "../../ports/machine.ts";

export interface Moment {
  readonly epochMs: number;
  readonly measured: Measured;
  readonly listed: Listed;
  /** Keys are environment and async-context flag. */
  readonly samples: Map<string, Promise<Sample>>;
}

/**
 * Reads the machine and, if that is due, lists the processes. If a process of the last reading has ended, requests a
 * new list at once, because PM2 has the outcome.
 */
export async function measure({ clock }: Ports, table: ProcessTable, meter: Meter, list: ListRead): Promise<Moment> {
  const listed = await table.read(list);
  const pids = pidsOf(listed);
  const known = meter.known(pids);
  const measured = await meter.read(pids, clock.elapsed());
  const hasLost = known.some((pid) => !measured.now.processes.has(pid));
  if (!hasLost) return { epochMs: clock.now(), measured, listed, samples: new Map() };
  const next = await table.read({ isForced: true });
  const measuredNext = await meter.read(pidsOf(next), clock.elapsed());
  return { epochMs: clock.now(), measured: measuredNext, listed: next, samples: new Map() };
}

function pidsOf(listed: Listed): number[] {
  return "records" in listed ? listed.records.flatMap(({ pid }) => (pid === null ? [] : [pid])) : [];
}

export async function sampleOf(
  ports: Ports,
  moment: Moment,
  about: {
    readonly environment: string;
    readonly watch: EcosystemWatch;
    readonly scraper: Scraper | undefined;
    readonly isCurrent: boolean;
  },
): Promise<Sample> {
  const { epochMs, measured, listed } = moment;
  if ("error" in listed)
    return { kind: "host", payload: hostPayload(measured, epochMs) satisfies HostPayload, error: listed.error };
  const { records, restarts, missingFolders } = listed;
  const payload = metricsPayload({
    environment: about.environment,
    epochMs,
    platform: ports.machine.platform,
    measured,
    records,
    own: ports.processes.ownProcess(),
    problem: (record) => findProblem(record, { epochMs, missingFolders, observed: restarts.get(record.pmId) }),
    ecosystem: await about.watch.compare(records, { isCurrent: about.isCurrent }),
    asyncContext: about.scraper?.answers(records) ?? (() => null),
  });
  return { kind: "metrics", payload };
}

/** Rates over a shorter time would measure single clock ticks. */
const SHORTEST_MS = 200;

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
    const now = { atMs, host: await reader.host(), processes: await reader.processes(pids) };
    const latest = this.#latest;
    if (latest !== undefined && atMs - latest.atMs >= SHORTEST_MS) this.#before = latest;
    this.#latest = now;
    return { before: this.#before, now, disks: await disks, cpuModel: reader.cpuModel, system: reader.system };
  }

  /** Also resolves after a short time. */
  get settled(): Promise<void> {
    return this.#reader.systemReady;
  }

  known(pids: readonly number[]): number[] {
    return pids.filter((pid) => this.#latest?.processes.has(pid));
  }

  close(): void {
    this.#reader.close();
  }
}
