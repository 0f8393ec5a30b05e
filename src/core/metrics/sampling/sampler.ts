import type { MetricsPorts, Sample, WatchRequest } from "../telemetry.ts";

import { oneAtATime } from "../../words/once.ts";
import type { ComparedEnvironment, EcosystemWatch } from "./ecosystem-watch.ts";
import { measure, Meter, type Measurement, sampleOf, LIST_MS, type ProcessTable } from "./measuring.ts";
import { Scraper } from "./scraper.ts";
import { CoalescingBuffer } from "../../words/coalescing-buffer.ts";

export interface SamplerOptions {
  readonly ports: MetricsPorts;
  readonly table: ProcessTable;
  readonly ecosystem: (request: ComparedEnvironment) => EcosystemWatch;
  readonly onSample: () => void;
}

/** Measures at the shortest interval of its subscribers. When the last one leaves, it closes everything. */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #scraper: Scraper;
  readonly #subscribers = new Set<Subscriber>();
  /** A tick does not wait for an ecosystem file. */
  readonly #serving = new Set<string>();
  #measuring: (() => Promise<Measurement>) | undefined;
  #running: Promise<unknown> | undefined;
  #latest: Measurement | undefined;
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

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#wake.abort();
  }

  refresh(): void {
    this.#isRefreshing = true;
    this.#wake.abort();
  }

  async measureNow(): Promise<Measurement | undefined> {
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
      const meter = new Meter(await this.#options.ports.machine.openReader());
      try {
        this.#measuring = oneAtATime(() => this.#measure(meter));
        while (this.#subscribers.size > 0) await this.#tick(this.#measuring);
      } finally {
        while (this.#running !== undefined) await this.#running;
        meter.close();
      }
    } catch (error) {
      for (const subscriber of this.#subscribers) subscriber.fail(error);
      this.#subscribers.clear();
    } finally {
      await this.#scraper.close();
    }
  }

  async #tick(measuring: () => Promise<Measurement>): Promise<void> {
    const { clock } = this.#options.ports;
    const wake = (this.#wake = new AbortController());
    const tickMs = Math.min(...[...this.#subscribers].map(({ request }) => request.intervalMs));
    const servesAll = this.#isRefreshing;
    const now = clock.elapsed();
    const lateMs = now - this.#tickedAtMs - tickMs;
    if (lateMs >= 0 || servesAll || this.#latest === undefined) {
      // After a small delay the schedule stays; after a long one it starts again.
      this.#tickedAtMs = lateMs > 0 && lateMs < tickMs ? now - lateMs : now;
      this.#latest = await measuring();
    }
    this.#serve(this.#latest, tickMs, servesAll);
    const restMs = Math.max(0, this.#tickedAtMs + tickMs - clock.elapsed());
    await clock.sleep(restMs, wake.signal).catch((error: unknown) => rethrowUnlessAborted(error, wake.signal));
  }

  #measure(meter: Meter): Promise<Measurement> {
    const isForced = this.#isRefreshing;
    this.#isRefreshing = false;
    this.#options.onSample();
    const quietListMs = Math.min(...[...this.#subscribers].map(({ request }) => request.quietListMs ?? LIST_MS));
    const measuring = measure(this.#options.ports, this.#options.table, meter, { isForced, quietListMs });
    const end = (): void => void (this.#running = undefined);
    this.#running = measuring.then(end, end);
    return measuring;
  }

  #serve(measurement: Measurement, tickMs: number, servesAll: boolean): void {
    const groups = new Map<string, Subscriber[]>();
    for (const subscriber of this.#subscribers) {
      if (!servesAll && !subscriber.isDue(this.#tickedAtMs, tickMs)) continue;
      const { environment, service = "", asyncContext, isNamed } = subscriber.request;
      const key = `${environment} ${service} ${asyncContext} ${isNamed}`;
      groups.set(key, [...(groups.get(key) ?? []), subscriber]);
    }
    for (const [key, subscribers] of groups)
      if (!this.#serving.has(key)) void this.#serveGroup(key, subscribers, measurement);
  }

  async #serveGroup(key: string, subscribers: readonly Subscriber[], measurement: Measurement): Promise<void> {
    const tickedAtMs = this.#tickedAtMs;
    this.#serving.add(key);
    try {
      const sample = await (measurement.samples.get(key) ?? this.#sample(key, measurement, subscribers[0]?.request));
      for (const subscriber of subscribers) subscriber.serve(sample, tickedAtMs);
    } catch (error) {
      for (const subscriber of subscribers) subscriber.fail(error);
    } finally {
      this.#serving.delete(key);
    }
  }

  #sample(key: string, measurement: Measurement, request: Subscriber["request"] | undefined): Promise<Sample> {
    const { environment = "", service, asyncContext = false, isNamed } = request ?? {};
    const { ports, ecosystem } = this.#options;
    // A slow process does not delay the sample.
    if (asyncContext && "records" in measurement.listed) void this.#scraper.scrape(measurement.listed.records);
    const watch = ecosystem({ environment, service, isNamed });
    const scraper = asyncContext ? this.#scraper : undefined;
    const sample = sampleOf(ports, measurement, { environment, watch, scraper, isCurrent: false });
    measurement.samples.set(key, sample);
    return sample;
  }
}

function rethrowUnlessAborted(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) throw error;
}

type ResolvedRequest = WatchRequest & { readonly environment: string; readonly isNamed: boolean };

export class Subscriber extends CoalescingBuffer<Sample> {
  readonly request: ResolvedRequest;
  #servedAtMs = Number.NEGATIVE_INFINITY;

  constructor(request: ResolvedRequest) {
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
