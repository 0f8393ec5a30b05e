import type { EnvironmentRequest } from "../../project/resolve.ts";
import type { Ports } from "../../ports/index.ts";
import { oneAtATime } from "../../words/once.ts";
import type { Sample, WatchRequest } from "../telemetry.ts";
import type { EcosystemWatch } from "./ecosystem-watch.ts";
import { measure, Meter, type Moment, sampleOf } from "./measuring.ts";
import { LIST_MS, type ProcessTable } from "./process-table.ts";
import { Scraper } from "./scraper.ts";
import { CoalescingBuffer } from "../../words/coalescing-buffer.ts";

export interface SamplerOptions {
  readonly ports: Ports;
  readonly table: ProcessTable;
  readonly ecosystem: (asked: EnvironmentRequest) => EcosystemWatch;
  readonly onSample: () => void;
}

/** Measures at the shortest interval of its subscribers. When the last one leaves, it closes everything. */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #scraper: Scraper;
  readonly #subscribers = new Set<Subscriber>();
  /** A tick does not wait for an ecosystem file. */
  readonly #serving = new Set<string>();
  #measuring: (() => Promise<Moment>) | undefined;
  #current: Promise<unknown> | undefined;
  #latest: Moment | undefined;
  #tickedAtMs = Number.NEGATIVE_INFINITY;
  #isRefreshing = false;
  #wake = new AbortController();
  readonly ended: Promise<void>;

  constructor(options: SamplerOptions, first: Subscriber) {
    this.#options = options;
    this.#scraper = new Scraper(options.ports);
    this.#subscribers.add(first);
    this.ended = this.#run();
  }

  /** False if the sampler is ending. */
  add(subscriber: Subscriber): boolean {
    if (this.#subscribers.size === 0) return false;
    this.#subscribers.add(subscriber);
    this.#wake.abort();
    return true;
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#wake.abort();
  }

  refresh(): void {
    this.#isRefreshing = true;
    this.#wake.abort();
  }

  async now(): Promise<Moment | undefined> {
    if (this.#measuring === undefined || this.#subscribers.size === 0) return undefined;
    return this.#measuring();
  }

  endAll(): void {
    for (const subscriber of this.#subscribers) subscriber.end();
    this.#subscribers.clear();
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    try {
      const meter = new Meter(await this.#options.ports.machine.open());
      try {
        this.#measuring = oneAtATime(() => this.#measure(meter));
        while (this.#subscribers.size > 0) await this.#tick(this.#measuring);
      } finally {
        while (this.#current !== undefined) await this.#current;
        meter.close();
      }
    } catch (error) {
      for (const subscriber of this.#subscribers) subscriber.fail(error);
      this.#subscribers.clear();
    } finally {
      await this.#scraper.close();
    }
  }

  async #tick(measuring: () => Promise<Moment>): Promise<void> {
    const { clock } = this.#options.ports;
    const wake = (this.#wake = new AbortController());
    const tickMs = Math.min(...[...this.#subscribers].map(({ request }) => request.intervalMs));
    const isForEverybody = this.#isRefreshing;
    const now = clock.elapsed();
    const lateMs = now - this.#tickedAtMs - tickMs;
    if (lateMs >= 0 || isForEverybody || this.#latest === undefined) {
      // After a small delay the schedule stays; after a long one it starts again.
      this.#tickedAtMs = lateMs > 0 && lateMs < tickMs ? now - lateMs : now;
      this.#latest = await measuring();
    }
    this.#serve(this.#latest, tickMs, isForEverybody);
    const restMs = Math.max(0, this.#tickedAtMs + tickMs - clock.elapsed());
    await clock.pause(restMs, wake.signal).catch((error: unknown) => rethrowUnlessAborted(error, wake.signal));
  }

  #measure(meter: Meter): Promise<Moment> {
    const isForced = this.#isRefreshing;
    this.#isRefreshing = false;
    this.#options.onSample();
    const quietListMs = Math.min(...[...this.#subscribers].map(({ request }) => request.quietListMs ?? LIST_MS));
    const measuring = measure(this.#options.ports, this.#options.table, meter, { isForced, quietListMs });
    const end = (): void => void (this.#current = undefined);
    this.#current = measuring.then(end, end);
    return measuring;
  }

  #serve(moment: Moment, tickMs: number, isForEverybody: boolean): void {
    const groups = new Map<string, Subscriber[]>();
    for (const subscriber of this.#subscribers) {
      if (!isForEverybody && !subscriber.isDue(this.#tickedAtMs, tickMs)) continue;
      const { environment, service = "", asyncContext } = subscriber.request;
      const key = `${environment} ${service} ${String(asyncContext)}`;
      groups.set(key, [...(groups.get(key) ?? []), subscriber]);
    }
    for (const [key, subscribers] of groups)
      if (!this.#serving.has(key)) void this.#serveGroup(key, subscribers, moment);
  }

  async #serveGroup(key: string, subscribers: readonly Subscriber[], moment: Moment): Promise<void> {
    const tickedAtMs = this.#tickedAtMs;
    this.#serving.add(key);
    try {
      const sample = await (moment.samples.get(key) ?? this.#sample(key, moment, subscribers[0]?.request));
      for (const subscriber of subscribers) subscriber.serve(sample, tickedAtMs);
    } catch (error) {
      for (const subscriber of subscribers) subscriber.fail(error);
    } finally {
      this.#serving.delete(key);
    }
  }

  #sample(key: string, moment: Moment, request: Subscriber["request"] | undefined): Promise<Sample> {
    const { environment = "", service, asyncContext = false } = request ?? {};
    const { ports, ecosystem } = this.#options;
    // A slow process does not delay the sample.
    if (asyncContext && "records" in moment.listed) void this.#scraper.ask(moment.listed.records);
    const watch = ecosystem({ environment, service });
    const scraper = asyncContext ? this.#scraper : undefined;
    const sample = sampleOf(ports, moment, { environment, watch, scraper, isCurrent: false });
    moment.samples.set(key, sample);
    return sample;
  }
}

function rethrowUnlessAborted(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) throw error;
}

/** Keeps only the newest sample. */
export class Subscriber extends CoalescingBuffer<Sample> {
  readonly request: WatchRequest & { readonly environment: string };
  #servedAtMs = Number.NEGATIVE_INFINITY;

  constructor(request: WatchRequest & { readonly environment: string }) {
    super();
    this.request = request;
  }

  /** A tick may come up to half a tick early. */
  isDue(nowMs: number, tickMs: number): boolean {
    return nowMs - this.#servedAtMs >= this.request.intervalMs - tickMs / 2;
  }

  serve(sample: Sample, nowMs: number): void {
    this.put(sample);
    this.#servedAtMs = nowMs;
  }
}
