export interface AttemptLimit {
  readonly failures: number;
  readonly windowMs: number;
}

const MAX_ADDRESSES = 10_000;
/** An address counts as the owner's for this time after the right token. */
const KNOWN_MS = 3_600_000;

/** While an address waits, its attempts are not counted. */
export class Attempts {
  readonly #limit: AttemptLimit;
  readonly #now: () => number;
  readonly #failures = new Map<string, readonly number[]>();
  readonly #successes = new Map<string, number>();

  /** @param now milliseconds of a monotonic clock */
  constructor(limit: AttemptLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  waitSeconds(address: string): number {
    const { failures, windowMs } = this.#limit;
    const [oldest, ...others] = this.#recent(address);
    if (oldest === undefined || others.length + 1 < failures) return 0;
    return Math.ceil((oldest + windowMs - this.#now()) / 1000);
  }

  failed(address: string): void {
    remember(this.#failures, address, [...this.#recent(address), this.#now()]);
  }

  succeeded(address: string): void {
    remember(this.#successes, address, this.#now());
  }

  isKnown(address: string): boolean {
    return this.#now() - (this.#successes.get(address) ?? Number.NEGATIVE_INFINITY) < KNOWN_MS;
  }

  #recent(address: string): readonly number[] {
    const since = this.#now() - this.#limit.windowMs;
    return (this.#failures.get(address) ?? []).filter((at) => at > since);
  }
}

function remember<T>(heard: Map<string, T>, address: string, what: T): void {
  heard.delete(address);
  heard.set(address, what);
  const [first] = heard.keys();
  if (heard.size > MAX_ADDRESSES && first !== undefined) heard.delete(first);
}
