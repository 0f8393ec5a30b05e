import type { Clock } from "../../src/core/files/ports.ts";

/** A clock that moves only if the test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  readonly #pauses = new Set<{ readonly dueMs: number; readonly wake: () => void }>();

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  elapsed(): number {
    return this.#elapsedMs;
  }

  /** Sets the machine's clock, as an NTP step does: no time passes. */
  set(byMs: number): void {
    this.#nowMs += byMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#pauses.delete(pause);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        this.#pauses.delete(pause);
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const pause = { dueMs: this.#elapsedMs + ms, wake };
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pauses.add(pause);
    });
  }

  get waiting(): number {
    return this.#pauses.size;
  }

  /** Advances the clock, wakes the waiters that are due, and lets them run until they wait again. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    this.#elapsedMs += ms;
    for (const { dueMs, wake } of this.#pauses) if (dueMs <= this.#elapsedMs) wake();
    await settled();
  }
}

/** Resolves when all code has run that does not wait for the clock, including disk operations. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn = isReading() ? 0 : turn + 1) await new Promise((resolve) => setImmediate(resolve));
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource.startsWith("FSReq"));
}
