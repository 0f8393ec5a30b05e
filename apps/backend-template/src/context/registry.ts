/** Async contexts: one store for each piece of work, followed through every await, counted and remembered. */
import { AsyncLocalStorage } from "node:async_hooks";
import { redact } from "./redact.ts";

/** The data of one piece of work. Only scalars; values that look like secrets never leave. */
export type Store = Record<string, string | number | boolean>;

/** The answer of `GET /async-context-metrics`. */
export interface AsyncContextMetrics {
  readonly active: number;
  readonly created: number;
  readonly completed: number;
  /** Newest first. */
  readonly recentStores: readonly Store[];
}

const REMEMBERED = 20;

/** Follows work through its awaits and counts it. One for a process. */
export class ContextRegistry {
  readonly #storage = new AsyncLocalStorage<Store>();
  readonly #recent: Store[] = [];
  #created = 0;
  #completed = 0;

  /** Runs `work` with its own store. It counts as completed when its promise settles. */
  async run<T>(store: Store, work: () => Promise<T> | T): Promise<T> {
    this.#created++;
    this.#recent.unshift(store);
    this.#recent.length = Math.min(this.#recent.length, REMEMBERED);
    try {
      return await this.#storage.run(store, work);
    } finally {
      this.#completed++;
    }
  }

  /** The store of the work that is running; `undefined` outside of any. */
  current(): Store | undefined {
    return this.#storage.getStore();
  }

  metrics(): AsyncContextMetrics {
    const active = this.#created - this.#completed;
    return { active, created: this.#created, completed: this.#completed, recentStores: this.#recent.map(redact) };
  }
}
