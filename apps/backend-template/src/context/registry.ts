/** Async contexts: one store for each unit of work, tracked across every await, counted and remembered. */
import { AsyncLocalStorage } from "node:async_hooks";
import { redact } from "./redact.ts";

/** The data of one unit of work. It has only scalars, and values that look like secrets never leave the process. */
export type Store = Record<string, string | number | boolean>;

/** The response of `GET /async-context-metrics`. */
export interface AsyncContextMetrics {
  readonly active: number;
  readonly created: number;
  readonly completed: number;
  /** Newest first. */
  readonly recentStores: readonly Store[];
}

const MAX_RECENT = 20;

export class ContextRegistry {
  readonly #storage = new AsyncLocalStorage<Store>();
  readonly #recent: Store[] = [];
  #created = 0;
  #completed = 0;

  /** Runs `work` with its own store. It counts as completed when its promise settles. */
  async run<T>(store: Store, work: () => Promise<T> | T): Promise<T> {
    this.#created++;
    this.#recent.unshift(store);
    this.#recent.length = Math.min(this.#recent.length, MAX_RECENT);
    try {
      return await this.#storage.run(store, work);
    } finally {
      this.#completed++;
    }
  }

  /** The store of the current unit of work; `undefined` outside of one. */
  current(): Store | undefined {
    return this.#storage.getStore();
  }

  metrics(): AsyncContextMetrics {
    const active = this.#created - this.#completed;
    return { active, created: this.#created, completed: this.#completed, recentStores: this.#recent.map(redact) };
  }
}
