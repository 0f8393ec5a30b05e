import { SvcmError } from "../../api/errors.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import type {
  MetricsPorts,
  CollectRequest,
  MetricsRequest,
  Sample,
  Telemetry,
  TelemetryCost,
  WatchRequest,
} from "../telemetry.ts";
import {
  chooseServices,
  ecosystemSpellings,
  type EnvironmentRequest,
  resolveEnvironment,
} from "../../project/resolve.ts";

import { needsProject } from "../../project/read.ts";
import { oneAtATime } from "../../words/once.ts";
import { EcosystemWatch, type ComparedEnvironment } from "./ecosystem-watch.ts";
import { measure, Meter, type Measurement, sampleOf, ProcessTable } from "./measuring.ts";
import { Sampler, Subscriber } from "./sampler.ts";
import { Scraper } from "./scraper.ts";

const SINGLE_SAMPLE_MS = 200;

export function createTelemetry(ports: MetricsPorts): Telemetry {
  return new SharedTelemetry(ports);
}

class SharedTelemetry implements Telemetry {
  readonly #ports: MetricsPorts;
  readonly #table: ProcessTable;
  readonly #ecosystems = new Map<string, EcosystemWatch>();
  readonly #samplers = new Set<Sampler>();
  readonly #collectOnce = oneAtATime(() => this.#measureAlone());
  #sampler: Sampler | undefined;
  #lastOfMachine = "unknown";
  #samples = 0;
  #last: { readonly measurement: Measurement; readonly atMs: number } | undefined;

  constructor(ports: MetricsPorts) {
    this.#ports = ports;
    this.#table = new ProcessTable(ports);
  }

  async environment(request: EnvironmentRequest, caller: Pick<MetricsRequest, "limits">): Promise<string> {
    return (await this.#resolve(request, caller)).environment;
  }

  async #resolve(request: EnvironmentRequest, caller: Pick<MetricsRequest, "limits">) {
    const { facts, workspace } = this.#ports;
    // As in the metrics: if the releases cannot be read, the other facts are still useful.
    const { environment, service } = await withMachineEnvironment(this.#ports, request, caller).catch(
      (error: unknown) => {
        if (error instanceof SvcmError && error.body.code === "PM2_HOME_UNUSABLE") return request;
        throw error;
      },
    );
    const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
    const spellings = ecosystemSpellings(contract, matrix);
    const resolved = resolveEnvironment(spellings, contract, environment, workspace.nodeEnv);
    chooseServices(await facts.project(), service);
    return { environment: resolved.environment, isNamed: environment !== undefined };
  }

  async #resolveFor(request: MetricsRequest) {
    if (request.isOfMachine !== true && (await needsProject(this.#ports, request.limits)))
      return await this.#resolve(request, request);
    try {
      const resolved = await this.#resolve(request, request);
      this.#lastOfMachine = resolved.environment;
      return resolved;
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      return { environment: request.environment ?? this.#lastOfMachine, isNamed: false };
    }
  }

  async *watch(request: WatchRequest, signal: AbortSignal): AsyncGenerator<Sample, void, undefined> {
    const resolved = await this.#resolveFor(request);
    if (signal.aborted) return;
    const subscriber = new Subscriber({ ...request, ...resolved });
    const sampler = this.#samplerWith(subscriber);
    // If the reader never requests another sample, the code after the last `yield` does not run.
    const stop = (): void => {
      subscriber.end();
      sampler.remove(subscriber);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      yield* subscriber;
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  async collect(request: CollectRequest): Promise<Sample> {
    const resolved = await this.#resolveFor(request);
    const measurement = this.#recent(request.freshMs ?? 0) ?? (await this.#measureNow());
    const scraper = request.asyncContext ? new Scraper(this.#ports) : undefined;
    try {
      if ("records" in measurement.listed) await scraper?.scrape(measurement.listed.records);
      const watch = this.#ecosystem({ ...request, ...resolved });
      const { environment } = resolved;
      return await sampleOf(this.#ports, measurement, { environment, watch, scraper, isCurrent: true });
    } finally {
      await scraper?.close();
    }
  }

  refresh(): void {
    this.#sampler?.refresh();
  }

  cost(): TelemetryCost {
    return { samples: this.#samples, listCalls: this.#table.calls };
  }

  async close(): Promise<void> {
    const samplers = [...this.#samplers];
    for (const sampler of samplers) sampler.endAll();
    await Promise.all(samplers.map(({ ended }) => ended));
  }

  #samplerWith(subscriber: Subscriber): Sampler {
    if (this.#sampler?.add(subscriber) === true) return this.#sampler;
    const sampler = new Sampler(
      {
        ports: this.#ports,
        table: this.#table,
        ecosystem: (request) => this.#ecosystem(request),
        onSample: () => (this.#samples += 1),
      },
      subscriber,
    );
    this.#sampler = sampler;
    this.#samplers.add(sampler);
    void sampler.ended.then(() => this.#samplers.delete(sampler));
    return sampler;
  }

  #ecosystem({ environment, service, isNamed }: ComparedEnvironment): EcosystemWatch {
    const key = `${environment}\0${service}\0${isNamed}`;
    const watch = this.#ecosystems.get(key) ?? new EcosystemWatch(this.#ports, { environment, service, isNamed });
    this.#ecosystems.set(key, watch);
    return watch;
  }

  #recent(freshMs: number): Measurement | undefined {
    const last = this.#last;
    return last !== undefined && this.#ports.clock.elapsed() - last.atMs < freshMs ? last.measurement : undefined;
  }

  async #measureNow(): Promise<Measurement> {
    // A new list, so that callers do not share the time-out of an earlier request.
    await this.#table.refresh();
    const measurement = await this.#collectOnce();
    this.#last = { measurement, atMs: this.#ports.clock.elapsed() };
    return measurement;
  }

  async #measureAlone(): Promise<Measurement> {
    const shared = await this.#sampler?.measureNow();
    if (shared?.measured.before !== undefined) return shared;
    const meter = new Meter(await this.#ports.machine.openReader());
    try {
      await this.#measure(meter);
      await Promise.all([this.#ports.clock.sleep(SINGLE_SAMPLE_MS), meter.settled]);
      return await this.#measure(meter);
    } finally {
      meter.close();
    }
  }

  #measure(meter: Meter): Promise<Measurement> {
    this.#samples += 1;
    return measure(this.#ports, this.#table, meter, { isForced: false });
  }
}
