import type { RefusalLog } from "../core/index.ts";

const WINDOW_MS = 60_000;
const MAX_CALLS = 120;
const MAX_ACTORS = 1_000;

/** Of each token or system user, over all of its connections to this process. */
export class CallRate {
  readonly refusals: RefusalLog;
  readonly accepted = `Accepted: ${MAX_CALLS} calls a minute.`;
  readonly #calls = new Map<string, number[]>();

  constructor(refusals: RefusalLog) {
    this.refusals = refusals;
  }

  /** @param nowMs of a monotonic clock */
  admits(actor: string, nowMs: number): boolean {
    const recent = (this.#calls.get(actor) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    const isAdmitted = recent.length < MAX_CALLS;
    if (isAdmitted) recent.push(nowMs);
    this.#calls.delete(actor);
    this.#calls.set(actor, recent);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_ACTORS && oldest !== undefined) this.#calls.delete(oldest);
    return isAdmitted;
  }
}
