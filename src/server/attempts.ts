/** So many failures may an address have in so much time. */
export interface AttemptLimit {
  readonly failures: number;
  readonly windowMs: number;
}

/** Beyond so many addresses the one that was heard of longest ago is forgotten. */
const MAX_ADDRESSES = 10_000;
/** How long an address counts as the owner's after a right token. */
const KNOWN_MS = 3_600_000;

/** Counts wrong tokens by address. Only failures count: an address with too many waits, and waiting adds none. */
export class Attempts {
  readonly #limit: AttemptLimit;
  readonly #now: () => number;
  /** When each of the last failures was, the oldest first. */
  readonly #failures = new Map<string, readonly number[]>();
  readonly #successes = new Map<string, number>();

  /** @param now milliseconds of a clock that is never set */
  constructor(limit: AttemptLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whole seconds until the address has fewer failures than it may have; 0 if it has fewer now. */
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

  /** Whether the right token came from the address lately. */
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
