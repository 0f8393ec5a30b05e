import type { HasClock, HasHost } from "../files/ports.ts";
import type { HasAudit } from "./ports.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { ErrorCode } from "../api/issue.ts";

export interface RefusedAttempt extends Pick<AuditRecord, "action" | "source" | "target" | "actor"> {
  readonly address: string;
  readonly code: ErrorCode;
}

const WINDOW_MS = 1_000;
/** Above this number, addresses are counted together. */
const MAX_ADDRESSES = 1_000;

interface Window {
  count: number;
  latest: RefusedAttempt;
  readonly timer: NodeJS.Timeout;
}

/** At most one record a second for each address and code, with the number of attempts. */
export class RefusalLog {
  readonly #ports: HasAudit & HasClock & HasHost;
  readonly #windows = new Map<string, Window>();
  readonly #writing = new Set<Promise<void>>();

  constructor(ports: HasAudit & HasClock & HasHost) {
    this.#ports = ports;
  }

  /** Resolves when the caller may respond. Never rejects: if the record cannot be written, that is logged. */
  async record(attempt: RefusedAttempt): Promise<void> {
    const hasOwnWindow = this.#windows.has(windowKey(attempt)) || this.#windows.size < MAX_ADDRESSES;
    const counted = hasOwnWindow ? attempt : { ...attempt, address: "" };
    const key = windowKey(counted);
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#open(key, counted);
      return await this.#write(counted, 1);
    }
    window.count += 1;
    window.latest = counted;
  }

  async close(): Promise<void> {
    for (const { timer } of this.#windows.values()) clearTimeout(timer);
    await Promise.all([...this.#windows.keys()].map((key) => this.#flush(key, false)));
    await Promise.all(this.#writing);
  }

  #open(key: string, latest: RefusedAttempt): void {
    const timer = setTimeout(() => void this.#flush(key, true), WINDOW_MS).unref();
    this.#windows.set(key, { count: 0, latest, timer });
  }

  async #flush(key: string, reopens: boolean): Promise<void> {
    const window = this.#windows.get(key);
    this.#windows.delete(key);
    if (window === undefined || window.count === 0) return;
    if (reopens) this.#open(key, window.latest);
    await this.#write(window.latest, window.count);
  }

  #write(attempt: RefusedAttempt, count: number): Promise<void> {
    const done = this.#append(attempt, count).finally(() => this.#writing.delete(done));
    this.#writing.add(done);
    return done;
  }

  async #append({ address, ...attempt }: RefusedAttempt, count: number): Promise<void> {
    const { audit, clock, host } = this.#ports;
    const timestamp = new Date(clock.now()).toISOString();
    const from = address === "" ? {} : { address };
    const record = { id: host.randomId(), timestamp, ...attempt, ...from, outcome: "refused" as const };
    await audit.append(count === 1 ? record : { ...record, count }).catch(() => undefined);
  }
}

function windowKey({ address, code, actor = "" }: RefusedAttempt): string {
  return `${address} ${code} ${actor}`;
}
