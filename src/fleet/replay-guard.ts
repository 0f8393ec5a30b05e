import { SvcmError } from "../core/index.ts";
import type { Request } from "./wire.ts";

/** An id is kept as long as its request could be valid. */
const MAX_AHEAD_MS = 3_600_000;

/** Protects against repeated and delayed writes, by the clock of this machine. */
export class ReplayGuard {
  readonly #now: () => number;
  readonly #seen = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws {SvcmError} INVALID_REQUEST if the request has no id or time, is late or is a repetition */
  accept({ id, notAfter }: Request): void {
    const now = this.#now();
    for (const [other, until] of this.#seen) if (until < now) this.#seen.delete(other);
    if (id === undefined || notAfter === undefined || notAfter > now + MAX_AHEAD_MS)
      throw new SvcmError("INVALID_REQUEST", {
        details: "A change needs an id and notAfter, at most an hour ahead of the clock of the node.",
      });
    if (notAfter < now)
      throw new SvcmError("INVALID_REQUEST", {
        code: "REQUEST_LATE",
        details: "The request arrived too late, so nothing was changed. Send it again if you still want it.",
      });
    if (this.#seen.has(id))
      throw new SvcmError("INVALID_REQUEST", {
        code: "REQUEST_REPEATED",
        details: "The node has received this request before, and carries out each request once.",
      });
    this.#seen.set(id, notAfter);
  }
}
