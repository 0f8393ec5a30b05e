import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { HasClock } from "../files/ports.ts";
import type { EventsPorts, EventFeed, EventRequest, HasSightings } from "./ports.ts";
import type { SvcmEvent } from "../api/events.ts";
import { CoalescingBuffer } from "../words/coalescing-buffer.ts";
import { oneAtATime } from "../words/once.ts";
import type { TimedEvent } from "./attribute-events.ts";
import { collectEvents } from "./collect-events.ts";
import { matchesFilter, toSvcmEvent } from "./page.ts";
import { floorToSecond } from "../words/time.ts";
import type { LogEntry } from "../logs/log-line.ts";
import { commandsFor, type KillSighting, type Sighting } from "./sightings.ts";

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

type Entry<Type extends LogEntry["type"]> = Extract<LogEntry, { readonly type: Type }>;

/** The evidence is gone soon after PM2 logs that a process stops or starts. */
class EvidenceWatcher {
  readonly #ports: HasProcessLogs & HasSightings;
  #position: { readonly atMs: number; readonly count: number } | undefined;
  #pids: ReadonlyMap<number, number> = new Map();
  #kills: number | undefined;
  readonly #ordered = new Set<number>();
  readonly #ended = new Set<number>();

  constructor(ports: HasProcessLogs & HasSightings) {
    this.#ports = ports;
  }

  async check(nowMs: number, signal: AbortSignal): Promise<void> {
    const { processLogs, sightings } = this.#ports;
    const isFirst = this.#position === undefined;
    const fromMs = this.#position?.atMs ?? nowMs;
    const { entries } = await processLogs.readPm2Log({ sinceMs: fromMs }, signal);
    const fresh = this.#fresh(entries, fromMs);
    const orders: Entry<"start" | "stopping">[] = [];
    const killed: Entry<"exit">[] = [];
    for (const entry of fresh) {
      if (this.#isOrder(entry)) orders.push(entry);
      if (this.#isKill(entry)) killed.push(entry);
    }
    if (!isFirst) {
      const commands = orders.length > 0 ? await sightings.runningCommands() : [];
      const seen: Sighting[] = orders.flatMap((entry) => commandsFor(commands, entry));
      if (killed.length > 0) seen.push(...(await this.#kernelKills(killed)));
      if (seen.length > 0) await sightings.append(seen);
    }
    if (isFirst || fresh.length === 0) this.#kills = (await sightings.readKernel()).kills;
    this.#pids = await sightings.readPids();
  }

  #fresh(entries: readonly LogEntry[], fromMs: number): readonly LogEntry[] {
    const last = entries.at(-1)?.atMs ?? fromMs;
    const previous = this.#position;
    this.#position = { atMs: last, count: entries.filter(({ atMs }) => atMs === last).length };
    return entries.slice(previous?.count ?? 0);
  }

  /** A start that follows an end is not ordered. */
  #isOrder(entry: LogEntry): entry is Entry<"start" | "stopping"> {
    if (entry.type === "start") return !this.#ended.delete(entry.pmId);
    if (entry.type !== "stopping") return false;
    this.#ordered.add(entry.pmId);
    return true;
  }

  #isKill(entry: LogEntry): entry is Entry<"exit"> {
    if (entry.type !== "exit") return false;
    const { pmId, code, signal } = entry;
    this.#ended.add(pmId);
    return !this.#ordered.delete(pmId) && code === 0 && signal === "SIGKILL";
  }

  async #kernelKills(killed: readonly Entry<"exit">[]): Promise<KillSighting[]> {
    const { kills, logged = [] } = await this.#ports.sightings.readKernel();
    const hasCounted = kills !== undefined && this.#kills !== undefined && kills > this.#kills;
    this.#kills = kills;
    return killed.flatMap(({ atMs, pmId }): KillSighting[] => {
      const pid = this.#pids.get(pmId);
      const near = logged.filter((kill) => Math.abs(kill.atMs - atMs) < NEAR_MS);
      const isNamed = near.some((kill) => kill.pid === pid);
      // Then the kernel counted the kill of another process.
      if (!isNamed && pid !== undefined && near.length > 0) return [];
      return isNamed || hasCounted ? [{ type: "memory-kill", atMs, pmId, isNamed }] : [];
    });
  }
}

/** After this time, the pid may belong to another process. */
const NEAR_MS = 5000;
