import type { MachineReader } from "../../ports/machine.ts";
import type { Measured } from "../payload.ts";

/** Rates over a shorter time would count single clock ticks. */
const SHORTEST_MS = 200;

type Reading = Measured["now"] & { readonly atMs: number };

export class Meter {
  readonly #reader: MachineReader;
  #before: Reading | undefined;
  #latest: Reading | undefined;

  constructor(reader: MachineReader) {
    this.#reader = reader;
  }

  /** @param atMs on a clock that never jumps: readings that come too soon do not count as the one before */
  async read(pids: readonly number[], atMs: number): Promise<Measured> {
    const reader = this.#reader;
    const disks = reader.disks();
    const now = { atMs, host: await reader.host(), processes: await reader.processes(pids) };
    const latest = this.#latest;
    if (latest !== undefined && atMs - latest.atMs >= SHORTEST_MS) this.#before = latest;
    this.#latest = now;
    return { before: this.#before, now, disks: await disks, cpuModel: reader.cpuModel, system: reader.system };
  }

  /** Resolves when the lasting facts of the machine are known, or soon. */
  get settled(): Promise<void> {
    return this.#reader.known;
  }

  known(pids: readonly number[]): number[] {
    return pids.filter((pid) => this.#latest?.processes.has(pid));
  }

  close(): void {
    this.#reader.close();
  }
}
