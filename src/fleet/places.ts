import { SvcmError } from "../core/index.ts";
import type { RequestKind } from "./subjects.ts";

/** Of requests at the same time, for the whole node and for one user. */
const PLACES: Readonly<Record<RequestKind, { readonly all: number; readonly user: number }>> = {
  read: { all: 32, user: 8 },
  write: { all: 8, user: 4 },
};

/** A user who takes all of their places takes none from other users, and a read takes none from a change. */
export class Places {
  readonly #taken = new Map<string, number>();

  /** @returns the function that gives the place back @throws {SvcmError} SERVICE_BUSY */
  take(kind: RequestKind, user: string): () => void {
    const { all, user: share } = PLACES[kind];
    const keys = [kind, `${kind} ${user}`];
    const [ofAll = 0, ofUser = 0] = keys.map((key) => this.#taken.get(key) ?? 0);
    if (ofUser >= share) throw busyError(`${share} ${NOUNS[kind]} of a user at a time`);
    if (ofAll >= all) throw busyError(`${all} ${NOUNS[kind]} at a time`);
    this.#add(keys, 1);
    return () => this.#add(keys, -1);
  }

  #add(keys: readonly string[], change: number): void {
    for (const key of keys) {
      const count = (this.#taken.get(key) ?? 0) + change;
      if (count > 0) this.#taken.set(key, count);
      else this.#taken.delete(key);
    }
  }
}

const NOUNS = { read: "requests that read", write: "changes" } as const;

function busyError(accepted: string): SvcmError {
  return new SvcmError("SERVICE_BUSY", { details: `Accepted: ${accepted}.` });
}
