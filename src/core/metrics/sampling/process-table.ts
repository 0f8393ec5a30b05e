import type { MetricsPorts } from "../telemetry.ts";
import type { Repository, Running } from "../../pm2/ports.ts";
import type { ErrorCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";

import { workingFolders, type ProcessRecord } from "../../pm2/process-record.ts";
import { createStateOf, FactsReader } from "../../running/read-states.ts";
import { type RestartObservations, watchRestarts } from "../../running/restarts.ts";
import type { StateOf } from "../../running/state.ts";
import { listScrubbed } from "../../pm2/list.ts";
import { oneAtATime } from "../../words/once.ts";

/** A `list()` costs PM2 ten times as much as reading the processes costs svcm. */
export const LIST_MS = 2000;
/** The time that a tick waits for PM2. A later response is for the next tick. */
const TICK_TIMEOUT_MS = 200;
/** After it, a stream says that PM2 hangs: at the latest five seconds after its last answer. PM2's code is loaded first. */
const HANG_MS = 2500;

export interface ListRead {
  readonly isForced: boolean;
  readonly quietListMs?: number;
}

export type ProcessListing =
  | {
      readonly records: readonly ProcessRecord[];
      readonly stateOf: StateOf;
    }
  | { readonly error: { readonly code: ErrorCode; readonly details: string } };

const NO_RESPONSE: ProcessListing = {
  error: { code: "PM2_TIMEOUT", details: `PM2 has not answered for ${HANG_MS} ms.` },
};

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
    if (this.#pending !== undefined && clock.elapsed() - this.#requestedAtMs >= HANG_MS) return NO_RESPONSE;
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
