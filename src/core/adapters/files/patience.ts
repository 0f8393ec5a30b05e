import { setTimeout as delay } from "node:timers/promises";

export interface Patience {
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function patience(timeoutMs: number, signal?: AbortSignal): Patience {
  return { until: performance.now() + timeoutMs, signal };
}

export const isOver = ({ until }: Patience): boolean => performance.now() >= until;

/** The jitter separates processes that met at a lock. */
export async function pause(attempt: number, { until, signal }: Patience): Promise<void> {
  const longest = Math.min(2 * 1.5 ** attempt, 25);
  const ms = Math.min(longest * (0.5 + Math.random() / 2), until - performance.now());
  await delay(Math.max(ms, 0), undefined, signal && { signal });
}

export async function comesInTime(event: Promise<void>, { until, signal }: Patience) {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const ms = Math.min(Math.max(until - performance.now(), 0), LONGEST_TIMER_MS);
  try {
    return await Promise.race([event.then(() => true), delay(ms, false, { signal: either })]);
  } finally {
    stop.abort();
  }
}

/** Resolves with the function that ends the turn; `undefined` if the time is over first. */
export type TakeTurn = (key: string, patience: Patience) => Promise<(() => void) | undefined>;

/** One turn at a time for each key in this process, in order. */
export function turns(): TakeTurn {
  const tails = new Map<string, Promise<void>>();

  return async (key, willing) => {
    const before = tails.get(key);
    let leave!: () => void;
    const ours = new Promise<void>((resolve) => (leave = resolve));
    const tail = before === undefined ? ours : before.then(() => ours);
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    try {
      if (before === undefined || (await comesInTime(before, willing))) return leave;
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  };
}
