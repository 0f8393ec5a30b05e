import type { ErrorCode } from "../../api/code.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { workingFolders, type RestartObservations, watchRestarts } from "../../pm2/problem.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { listScrubbed } from "../../pm2/list-scrubbed.ts";
import { oneAtATime } from "../../words/once.ts";

/** A `list()` costs PM2 ten times as much as reading the processes costs svcm. */
export const LIST_MS = 2000;
/** The time that a tick waits for PM2. A later response is for the next tick. */
const TICK_PATIENCE_MS = 200;
/** PM2's code must be loaded first. */
const FIRST_PATIENCE_MS = 2500;

export interface ListRead {
  readonly isForced: boolean;
  /** As `quietListMs` of a watcher. */
  readonly quietListMs?: number;
}

export type Listed =
  | {
      readonly records: readonly ProcessRecord[];
      readonly restarts: RestartObservations;
      readonly missingFolders: ReadonlySet<string>;
    }
  | { readonly error: { readonly code: ErrorCode; readonly details: string } };

const UNANSWERED: Listed = {
  error: { code: "PM2_TIMEOUT", details: `PM2 has not answered for ${FIRST_PATIENCE_MS} ms.` },
};

/**
 * The list of PM2's processes, requested at most every two seconds and by one request at a time. For the recorder alone,
 * a minute may pass if nothing has changed. If PM2 hangs, ticks do not wait: the last list counts until the request fails.
 */
export class ProcessTable {
  readonly #ports: Ports;
  readonly #asking = oneAtATime(() => this.#ask());
  #question: Promise<Listed> | undefined;
  #known: { readonly atMs: number; readonly log: string | undefined; readonly listed: Listed } | undefined;
  #restarts: RestartObservations = new Map();
  #calls = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get calls(): number {
    return this.#calls;
  }

  /** For a tick: requests a new list if the last one is too old or if forced, and waits only briefly. */
  async read({ isForced, quietListMs = LIST_MS }: ListRead): Promise<Listed> {
    const known = this.#known;
    if (isForced || known === undefined) return this.#awaited(isForced ? this.#asking() : this.#current());
    const ageMs = this.#ports.clock.elapsed() - known.atMs;
    const isDue = ageMs >= LIST_MS && (ageMs >= quietListMs || "error" in known.listed || this.#hasLogged(known.log));
    return isDue && this.#question === undefined ? this.#awaited(this.#asking()) : known.listed;
  }

  /** PM2 logs each start and end of a process. Without a log, as in containers, it may have changed at any time. */
  #hasLogged(since: string | undefined): boolean {
    return since === undefined || since !== this.#logStamp();
  }

  #logStamp(): string | undefined {
    const { stamps, workspace } = this.#ports;
    return stamps.read([`${workspace.pm2Home}/pm2.log`])[0]?.id;
  }

  #current(): Promise<Listed> {
    return this.#question ?? this.#asking();
  }

  /** A list requested after this call. If PM2 hangs, all callers share one time-out. */
  async ask(): Promise<Listed> {
    const underWay = this.#question;
    const next = this.#asking();
    const first = await (underWay === undefined ? next : Promise.race([underWay, next]));
    return isTimeout(first) ? first : next;
  }

  async #awaited(question: Promise<Listed>): Promise<Listed> {
    const ms = this.#known === undefined ? FIRST_PATIENCE_MS : TICK_PATIENCE_MS;
    const enough = new AbortController();
    const pause = this.#ports.clock.sleep(ms, enough.signal).catch(() => undefined);
    try {
      return (await Promise.race([question, pause.then(() => undefined)])) ?? this.#known?.listed ?? UNANSWERED;
    } finally {
      enough.abort();
    }
  }

  #ask(): Promise<Listed> {
    const log = this.#logStamp();
    const question = this.#list().then((listed) => {
      this.#known = { atMs: this.#ports.clock.elapsed(), log, listed };
      return listed;
    });
    this.#question = question;
    const end = (): void => void (this.#question = undefined);
    question.then(end, end);
    return question;
  }

  async #list(): Promise<Listed> {
    this.#calls += 1;
    try {
      const { clock, stamps } = this.#ports;
      const records = await listScrubbed(this.#ports);
      this.#restarts = watchRestarts(this.#restarts, records, clock.elapsed());
      return { records, restarts: this.#restarts, missingFolders: stamps.missing(workingFolders(records)) };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { code = error.kind, details = error.message } = error.body;
      return { error: { code, details } };
    }
  }
}

function isTimeout(listed: Listed): boolean {
  return "error" in listed && listed.error.code === "PM2_TIMEOUT";
}
