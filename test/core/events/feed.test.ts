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
    appends: 0,
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
      append: async (more: readonly unknown[]) => {
        world.noted.push(...more);
        world.appends += 1;
      },
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
    return [world.noted.length, world.looks, world.appends];
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
    expect(await noted(before, after)).toEqual([count, looks, Math.min(count, 1)]);
  });
});

describe("followers", () => {
  const SECOND = 1000;
  const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  /** PM2's log has ends before and after now. The reader stops a test that would run on. */
  const follow = (more: object = {}) => {
    const made = makePorts({});
    let nowMs = NOW;
    const entries = [-20, -10, -5, 3, 8].flatMap(
      (second) =>
        logEntry(
          `${stamp(NOW + second * SECOND)}: PM2 log: App [api:${second + 100}] exited with code [1] via signal [SIGINT]`,
        ) ?? [],
    );
    const ports = {
      ...made,
      clock: {
        ...made.clock,
        now: () => nowMs,
        sleep: async (ms: number, signal?: AbortSignal) => {
          signal?.throwIfAborted();
          if (nowMs > NOW + 300 * SECOND) throw new Error("nothing happens");
          nowMs += ms;
        },
      },
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
    return { feed: createEventFeed(ports as never), now: () => nowMs };
  };

  test("get each event once, oldest first, from the time that they name, and when its cause is known", async () => {
    const { feed, now } = follow();
    const seen: (number | undefined)[] = [];
    const late: boolean[] = [];
    const request = { apps: [], fromMs: NOW - 10 * SECOND };
    for await (const { pmId, at } of feed.watch(new AbortController().signal, request)) {
      seen.push(pmId);
      late.push(now() >= Date.parse(at) + 3 * SECOND);
      if (pmId === 108) break;
    }
    expect([seen, late]).toEqual([
      [90, 95, 103, 108],
      [true, true, true, true],
    ]);
  });

  test("without a time get what happens from now on, and only what they ask for", async () => {
    const { feed } = follow();
    const stop = new AbortController();
    const other: (number | undefined)[] = [];
    const others = (async () => {
      for await (const { pmId } of feed.watch(stop.signal, { apps: [] })) {
        other.push(pmId);
        if (pmId === 108) break;
      }
    })();
    const none: unknown[] = [];
    const filtered = (async () => {
      for await (const event of feed.watch(stop.signal, { apps: ["none"] })) none.push(event);
    })();
    for await (const { pmId } of feed.watch(stop.signal, { apps: [] })) {
      expect(pmId).toBe(103);
      break;
    }
    await others;
    stop.abort();
    await filtered;
    expect([other, none]).toEqual([[103, 108], []]);
  });

  test("end with the error that ends the reader, and with their signal", async () => {
    const { feed } = follow({
      readPm2Log: async () => {
        throw new Error("no log");
      },
    });
    const failing = async () => {
      for await (const _event of feed.watch(new AbortController().signal, { apps: [], fromMs: NOW - 10 * SECOND }));
    };
    await expect(failing()).rejects.toThrow("no log");
    for await (const event of follow().feed.watch(AbortSignal.abort(), { apps: [] })) expect(event).toBeUndefined();
  });
});
