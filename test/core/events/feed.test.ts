/** New events as they happen, to several followers of one reader. */
import { describe, expect, test } from "vitest";
import { createEventFeed, settledTimes } from "../../../src/core/events/feed.ts";
import { logEntry, type LogEntry } from "../../../src/core/logs/log-line.ts";
import { makePorts, NOW } from "./why-world.ts";

const AT = 1_800_000_000_000;
const named = { pmId: 3, isOld: false, name: "web", atMs: AT };
const START: LogEntry = { ...named, type: "start", mode: "fork" };
const STOPPING: LogEntry = { ...named, type: "stopping" };
const EXIT: LogEntry = { ...named, type: "exit", code: 1, signal: "SIGINT" };

/** A clock that a sleep moves, and a log that grows between two looks. */
function play() {
  let nowMs = AT;
  let change = (): void => undefined;
  const world = {
    logged: [] as LogEntry[],
    noted: [] as unknown[],
    slept: [] as number[],
    isWatched: true,
    looks: 0,
    notice: () => change(),
    fails: false,
  };
  const ports = {
    clock: {
      now: () => nowMs,
      sleep: async (ms: number, signal?: AbortSignal) => {
        world.slept.push(ms);
        nowMs += ms;
        signal?.throwIfAborted();
      },
    },
    processLogs: {
      readPm2Log: async ({ sinceMs }: { readonly sinceMs: number }) => {
        if (world.fails) throw new Error("no log");
        return { entries: world.logged.filter(({ atMs }) => atMs >= sinceMs) };
      },
    },
    sightings: {
      watch: (onChange: () => void) => {
        change = onChange;
        return () => void (world.isWatched = false);
      },
      readKernel: async () => ({}),
      readPids: async () => new Map(),
      runningCommands: async () => {
        world.looks += 1;
        return [{ id: "7-1", verb: "restart", words: ["web"], user: "ann" }];
      },
      append: async (more: readonly unknown[]) => void world.noted.push(...more),
    },
  };
  return { world, ports: ports as never };
}

describe("the times up to which every event is known", () => {
  test("are whole seconds, three seconds late, each second after a change and then each ten", async () => {
    const { world, ports } = play();
    const stop = new AbortController();
    const times = settledTimes(ports, stop.signal);
    const late: number[] = [];
    for (let count = 0; count < 6; count += 1) late.push(((await times.next()).value ?? 0) - AT);
    expect(late).toEqual([-3000, -2000, -1000, 0, 1000, 11_000]);
    expect(world.slept).toEqual([100, 1000, 100, 1000, 100, 1000, 100, 1000, 100, 10_000]);
    world.notice();
    await times.next();
    expect(world.slept.slice(-2)).toEqual([100, 10_000]);
    await times.next();
    expect(world.slept.slice(-2)).toEqual([100, 1000]);
    expect(world.isWatched).toBe(true);
    stop.abort();
    expect((await times.next().catch(() => ({ done: true }))).done).toBe(true);
    expect(world.isWatched).toBe(false);
  });

  test("come also while the log cannot be read", async () => {
    const { world, ports } = play();
    world.fails = true;
    const times = settledTimes(ports, new AbortController().signal);
    expect((await times.next()).value).toBe(AT - 3000);
    await times.return(undefined);
  });
});

describe("a command that runs while PM2 acts", () => {
  const noted = async (before: readonly LogEntry[], after: readonly LogEntry[]) => {
    const { world, ports } = play();
    world.logged.push(...before);
    const times = settledTimes(ports, new AbortController().signal);
    await times.next();
    world.logged.push(...after);
    await times.next();
    await times.next();
    await times.return(undefined);
    return [world.noted.length, world.looks];
  };

  test.each<[string, readonly LogEntry[], readonly LogEntry[], number, number]>([
    ["is noted with a stop", [], [STOPPING], 1, 1],
    ["is noted with a start", [], [START], 1, 1],
    ["is noted once for each", [], [STOPPING, START], 2, 1],
    ["is not sought for an end", [], [EXIT], 0, 0],
    ["is not sought for a start that follows an end", [], [EXIT, START], 0, 0],
    ["is not sought for what was logged before", [STOPPING], [], 0, 0],
    ["is noted with what is new in the same second", [EXIT, STOPPING], [{ ...START, pmId: 4 }], 1, 1],
    ["is not noted with another app", [], [{ ...STOPPING, name: "api" }], 0, 1],
  ])("%s", async (_what, before, after, count, looks) => {
    expect(await noted(before, after)).toEqual([count, looks]);
  });
});

describe("followers", () => {
  const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const follow = (more: object = {}) => {
    const made = makePorts({});
    let nowMs = NOW;
    const entries = [-20, -10, -5].flatMap(
      (second) =>
        logEntry(
          `${stamp(NOW + second * 1000)}: PM2 log: App [api:${-second}] exited with code [1] via signal [SIGINT]`,
        ) ?? [],
    );
    const ports = {
      ...made,
      clock: { ...made.clock, now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
      processLogs: {
        ...made.processLogs,
        readPm2Log: async () => ({ entries, isComplete: true, isTruncated: false }),
        ...more,
      },
      sightings: {
        ...made.sightings,
        watch: () => () => undefined,
        readPids: async () => new Map(),
        runningCommands: async () => [],
        append: async () => undefined,
      },
    };
    return createEventFeed(ports as never);
  };

  test("get each event once, oldest first, from the time that they name", async () => {
    const feed = follow();
    const stop = new AbortController();
    const seen: (number | undefined)[] = [];
    const filtered: (number | undefined)[] = [];
    const other = (async () => {
      for await (const { pmId } of feed.watch(stop.signal, { apps: ["none"], fromMs: NOW - 10_000 }))
        filtered.push(pmId);
    })();
    for await (const { pmId } of feed.watch(stop.signal, { apps: [], fromMs: NOW - 10_000 })) {
      seen.push(pmId);
      if (pmId === 5) break;
    }
    stop.abort();
    await other;
    expect([seen, filtered]).toEqual([[10, 5], []]);
  });

  test("end with the error that ends the reader, and with their signal", async () => {
    const broken = new Error("no log");
    const feed = follow({
      readPm2Log: async () => {
        throw broken;
      },
    });
    const failing = async () => {
      for await (const _event of feed.watch(new AbortController().signal, { apps: [], fromMs: NOW - 10_000 }));
    };
    await expect(failing()).rejects.toThrow("no log");
    const aborted = follow().watch(AbortSignal.abort(), { apps: [] });
    for await (const event of aborted) expect(event).toBeUndefined();
  });
});
