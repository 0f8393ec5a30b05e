import type { HasProcessLogs } from "../logs/port-process-logs.ts";
import type { HasClock } from "../files/port-host.ts";
import type { EventsPorts } from "./ports.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { EventFeed, EventRequest, HasSightings } from "./port-events.ts";

import { CoalescingBuffer } from "../words/coalescing-buffer.ts";
import { oneAtATime } from "../words/once.ts";
import type { TimedEvent } from "./attribute-events.ts";
import { collectEvents } from "./collect-events.ts";
import { matchesFilter, toSvcmEvent } from "./page.ts";
import { floorToSecond } from "../words/time.ts";
import { EvidenceWatcher } from "./evidence-watcher.ts";

/** A restart is one event, so a stop waits for its start. svcm also records an action only after its effect. */
const SETTLE_MS = 3000;
const PACE_MS = { busy: 1000, quiet: 10_000, min: 100 };
const MAX_WAITING_EVENTS = 1000;

export function createEventFeed(ports: EventsPorts): EventFeed {
  const subscribers = new Set<Subscriber>();
  let stop = new AbortController();
  const run = async (signal: AbortSignal, fromMs: number): Promise<void> => {
    try {
      for await (const timedEvent of settledEvents(ports, signal, fromMs))
        for (const subscriber of subscribers) subscriber.offer(timedEvent);
    } catch (error) {
      if (signal.aborted) return;
      for (const subscriber of subscribers) subscriber.fail(error);
      subscribers.clear();
    }
  };
  const subscribe = (subscriber: Subscriber): void => {
    subscribers.add(subscriber);
    if (subscribers.size > 1) return;
    stop = new AbortController();
    void run(stop.signal, subscriber.request.fromMs ?? floorToSecond(ports.clock.now()));
  };
  return {
    async *watch(signal, request) {
      const subscriber = new Subscriber(request);
      subscribe(subscriber);
      try {
        yield* subscriber.events(signal);
      } finally {
        if (subscribers.delete(subscriber) && subscribers.size === 0) stop.abort();
      }
    },
  };
}

class Subscriber extends CoalescingBuffer<readonly SvcmEvent[]> {
  readonly request: EventRequest;

  constructor(request: EventRequest) {
    super((missed, events) => [...missed, ...events].slice(-MAX_WAITING_EVENTS));
    this.request = request;
  }

  offer(timedEvent: TimedEvent): void {
    const { fromMs = 0 } = this.request;
    if (timedEvent.atMs >= fromMs && matchesFilter(timedEvent.event, this.request)) this.put([toSvcmEvent(timedEvent)]);
  }

  async *events(signal: AbortSignal): AsyncGenerator<SvcmEvent> {
    const onAbort = (): void => this.end();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    try {
      for (let events = await this.next(); events !== undefined; events = await this.next()) yield* events;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}

async function* settledEvents(ports: EventsPorts, signal: AbortSignal, beginMs: number): AsyncGenerator<TimedEvent> {
  let fromMs = beginMs;
  for await (const untilMs of settledTimes(ports, signal)) {
    if (untilMs > fromMs) yield* await between(ports, fromMs, untilMs, signal);
    fromMs = Math.max(fromMs, untilMs);
  }
}

/** Every event before these times is known, and so is its cause: whole seconds, at least every ten seconds. */
export async function* settledTimes(
  ports: HasClock & HasProcessLogs & HasSightings,
  signal: AbortSignal,
): AsyncGenerator<number> {
  const { clock, sightings } = ports;
  const evidence = new EvidenceWatcher(ports);
  // Runs at once, because a command ends soon after its effect. A failed check must not end the feed.
  const checkOnce = oneAtATime(() => evidence.check(clock.now(), signal));
  const check = (): Promise<void> => checkOnce().catch(() => undefined);
  let hasChanged = true;
  let busyUntilMs = 0;
  let wake = new AbortController();
  const unwatch = sightings.watch(() => {
    hasChanged = true;
    void check();
    wake.abort();
  });
  try {
    while (!signal.aborted) {
      wake = new AbortController();
      const nowMs = clock.now();
      if (hasChanged) busyUntilMs = nowMs + SETTLE_MS + PACE_MS.busy;
      hasChanged = false;
      await check();
      yield floorToSecond(nowMs - SETTLE_MS);
      await clock.sleep(PACE_MS.min, signal);
      const pace = nowMs < busyUntilMs ? PACE_MS.busy : PACE_MS.quiet;
      await clock.sleep(pace, AbortSignal.any([signal, wake.signal])).catch(() => undefined);
    }
  } finally {
    unwatch();
  }
}

async function between(
  ports: EventsPorts,
  fromMs: number,
  untilMs: number,
  signal: AbortSignal,
): Promise<TimedEvent[]> {
  const { events } = await collectEvents(ports, fromMs, signal);
  return events.filter(({ atMs }) => atMs < untilMs).toReversed();
}
