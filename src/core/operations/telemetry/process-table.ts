import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports.ts";
import { foldersOf } from "../../process/problem.ts";
import { watchRestarts, type RestartWatch } from "../../process/restarts.ts";
import type { ProcessRecord } from "../../telemetry/process-record.ts";

/** What one `list()` costs PM2 is ten times what reading the processes costs us. */
const KEPT_MS = 2000;

/** What PM2 said last: its processes, or why it said nothing. */
export type Listed =
  | {
      readonly records: readonly ProcessRecord[];
      readonly restarts: RestartWatch;
      /** Folders of the processes that do not exist. */
      readonly missingFolders: ReadonlySet<string>;
    }
  | { readonly error: { readonly code: string; readonly details: string } };

/** PM2's processes, asked at most every two seconds, also while it does not answer. */
export class ProcessTable {
  readonly #ports: Ports;
  #last: { readonly atMs: number; readonly listed: Listed } | undefined;
  #restarts: RestartWatch = new Map();
  #calls = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** How often PM2 was asked. */
  get calls(): number {
    return this.#calls;
  }

  /** Asks PM2 where the last answer is older than two seconds, or where it is told to. */
  async read(isForced: boolean): Promise<Listed> {
    const now = this.#ports.clock.elapsed();
    if (isForced || this.#last === undefined || now - this.#last.atMs >= KEPT_MS)
      this.#last = { atMs: now, listed: await this.#list() };
    return this.#last.listed;
  }

  async #list(): Promise<Listed> {
    this.#calls += 1;
    try {
      const { processes, clock, stamps } = this.#ports;
      const records = await processes.list();
      this.#restarts = watchRestarts(this.#restarts, records, clock.elapsed());
      return { records, restarts: this.#restarts, missingFolders: stamps.missing(foldersOf(records)) };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { code = error.kind, details = error.message } = error.facts;
      return { error: { code, details } };
    }
  }
}
