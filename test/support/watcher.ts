import { onTestFinished } from "vitest";
import type { Sample, WatchRequest } from "../../src/core/index.ts";
import type { CountingPorts } from "./counting-ports.ts";
import { settled } from "./hand-clock.ts";

export interface Watcher {
  readonly samples: Sample[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Watches, and reads each sample as soon as it is available. */
export async function watch({ ports }: CountingPorts, request: Partial<WatchRequest> = {}): Promise<Watcher> {
  const stop = new AbortController();
  const samples: Sample[] = [];
  const complete = { environment: "dev", intervalMs: 1000, asyncContext: false, ...request };
  const ended = (async () => {
    for await (const sample of ports.telemetry.watch(complete, stop.signal)) samples.push(sample);
  })();
  onTestFinished(() => stop.abort());
  await first(samples, ended);
  return { samples, stop, ended };
}

/** The first sample may wait for a disk read, which finds the ecosystem file. */
async function first(samples: readonly Sample[], ended: Promise<void>): Promise<void> {
  const end = { isThere: false };
  void ended.finally(() => (end.isThere = true)).catch(() => undefined);
  while (samples.length === 0 && !end.isThere) await settled();
}

export async function pass(world: CountingPorts, ms: number, step = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) await world.clock.advance(step);
}

/** Advances the clock until the promise is settled. */
export async function until<T>(world: CountingPorts, done: Promise<T>): Promise<T> {
  const end = { isThere: false };
  const note = (): void => void (end.isThere = true);
  done.then(note, note);
  while (!end.isThere) await world.clock.advance(50);
  return done;
}
