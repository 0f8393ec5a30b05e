/** A process that PM2 calls online serves, or not: from what waits in its sockets and from what it wrote. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import {
  doAllHang,
  hasFailedToLoad,
  isOnlineService,
  readListeners,
  readServing,
} from "../../../src/core/running/read-serving.ts";
import { record } from "../../support/process-record.ts";
import { MODULE_ERROR, NOW, playMachine, service, socket, type Machine } from "./played-kernel.ts";

const { declaration } = record();
const task = { declaration: { ...declaration, settings: { autorestart: false } } };
const cluster = { execMode: "cluster" } as const;
const START = NOW - 30_000;
const tail = { lines: ["Error: x", "    at a (/srv/a.js:1:1)"], writtenMs: START + 100 };
const moduleTail = { lines: MODULE_ERROR, writtenMs: START + 100 };

test.each<[Partial<ProcessRecord>, boolean]>([
  [{}, true],
  [{ status: "launching" }, false],
  [{ pid: null }, false],
  [task, false],
])("a service that PM2 calls online, with %o: %s", (more, expected) =>
  expect(isOnlineService(service(0, more))).toBe(expected),
);

describe("a process that hangs", () => {
  const full = (): ReturnType<typeof socket>[] => [socket({ waiting: 2 })];
  const serving = async (machine: Machine, records = [service(0)], since?: ReadonlyMap<number, number>) => {
    const played = playMachine({ held: { 10: ["1"] }, ...machine });
    const facts = await readServing(played.ports, records, since);
    return { facts: [...facts], waitedMs: played.waitedMs() };
  };
  const hung = "2 connections wait on port 3000, and it has accepted none of them for 2.0 s.";

  test("is one whose connections wait for two seconds", async () => {
    expect(await serving({ sockets: full })).toEqual({ facts: [[0, { hung }]], waitedMs: 2000 });
  });
  test("is looked at for a shorter time if it hung at the last look", async () => {
    const { facts, waitedMs } = await serving({ sockets: full }, [service(0)], new Map([[10, NOW - 60_000]]));
    expect([facts.length, waitedMs]).toEqual([1, 300]);
    expect(JSON.stringify(facts)).toContain("at any look since");
  });
  test("takes none of them meanwhile, and svcm waits for nothing else", async () => {
    expect(await serving({ sockets: (ms) => [socket({ waiting: ms < 500 ? 2 : 1 })] })).toEqual({
      facts: [],
      waitedMs: 500,
    });
    expect(await serving({ sockets: () => [socket()] })).toEqual({ facts: [], waitedMs: 0 });
  });
  test("is one that is suspended, and stays so", async () => {
    const suspended = { isSuspended: true, mayBeIdle: false };
    expect((await serving({ activity: () => suspended, sockets: () => [socket()] })).facts).toMatchObject(
      [[0, { hung: /^It is suspended/ }]].map(() => [0, { hung: expect.stringMatching(/^It is suspended/) }]),
    );
    expect(
      (await serving({ activity: (_, ms) => (ms < 1000 ? suspended : {}), sockets: () => [socket()] })).facts,
    ).toEqual([]);
  });

  const unread = (): ReturnType<typeof socket>[] => [socket(), socket({ inode: "2", isListening: false, waiting: 80 })];
  const node = { interpreter: "/usr/bin/node" };
  const busy = { isSuspended: false, mayBeIdle: false };
  test.each<[string, Machine, number]>([
    ["its event loop makes no calls", { activity: () => busy, calls: () => 7 }, 1],
    ["its event loop turns", { activity: () => busy, calls: (ms) => ms }, 0],
    ["it has paused", { activity: () => ({ ...busy, mayBeIdle: true }), calls: () => 7 }, 0],
    ["nothing is known of it", { calls: () => 7 }, 0],
  ])("is one with unread bytes, if %s", async (_what, machine, count) => {
    expect(
      (await serving({ ...machine, sockets: unread, held: { 10: ["1", "2"] } }, [service(0, node)])).facts,
    ).toHaveLength(count);
  });

  test("is not known where the system, or this user, does not see it", async () => {
    expect((await serving({ isBlind: true })).facts).toEqual([
      [0, { unseen: "this system does not show whether a process answers" }],
    ]);
    expect((await serving({ held: {} })).facts).toEqual([
      [0, { unseen: "it cannot be seen from here whether the process answers" }],
    ]);
    expect((await serving({ isBlind: true }, [service(0, task)])).facts).toEqual([]);
  });

  test("is looked at for ten seconds before a step ends it", async () => {
    const played = playMachine({ sockets: full, held: { 10: ["1"], 11: ["2"] } });
    expect([await doAllHang(played.ports, [service(0)]), played.waitedMs()]).toEqual([true, 10_000]);
    const two = playMachine({ sockets: full, held: { 10: ["1"], 11: ["2"] } });
    expect([await doAllHang(two.ports, [service(0), service(1)]), two.waitedMs()]).toEqual([false, 0]);
    const late = playMachine({ sockets: (ms) => (ms < 9000 ? full() : [socket({ waiting: 1 })]), held: { 10: ["1"] } });
    expect([await doAllHang(late.ports, [service(0)]), late.waitedMs()]).toEqual([false, 9000]);
    expect(await doAllHang(playMachine({ isBlind: true }).ports, [service(0)])).toBe(false);
  });
});

describe("a process that has not loaded", () => {
  const YOUNG = { lastStartAt: NOW - 2000 };
  const youngTail = { lines: MODULE_ERROR, writtenMs: NOW - 1500 };
  const YET = { unseen: expect.stringMatching(/ends with an error of this start, and it has no connection yet$/) };
  const facts = async (more: Partial<ProcessRecord>, machine: Machine) => {
    const played = playMachine({ held: { 10: [], 1: ["9"] }, activity: () => ({ parentPid: 1 }), ...machine });
    return (await readServing(played.ports, [service(0, more)])).get(0);
  };
  const served = (): ReturnType<typeof socket>[] => [socket({ inode: "9" })];
  test.each<[string, Partial<ProcessRecord>, Machine, object | undefined]>([
    [
      "has an error of its start, and no connection",
      {},
      { tails: { 0: tail } },
      { notLoaded: expect.stringMatching(/does not listen on port 3000/) },
    ],
    ["has no error", {}, { tails: { 0: { lines: ["fine"], writtenMs: START + 100 } } }, undefined],
    ["has no log to read", {}, {}, { unseen: expect.stringMatching(/has no error log to read/) }],
    ["has no log to read, and no port", { listenPorts: [] }, {}, undefined],
    [
      "has an error, and no port",
      { listenPorts: [] },
      { tails: { 0: tail } },
      { unseen: expect.stringMatching(/it has no connection/) },
    ],
    [
      "has an error and a connection, and no port",
      { listenPorts: [] },
      { held: { 10: ["5"] }, sockets: () => [socket({ inode: "5", isListening: false })], tails: { 0: tail } },
      undefined,
    ],
    [
      "has loaded, since it has a connection",
      {},
      { held: { 10: ["5"] }, sockets: () => [socket({ inode: "5", isListening: false })], tails: { 0: tail } },
      undefined,
    ],
    [
      "has a child with a connection",
      {},
      {
        children: { 10: [20] },
        held: { 10: [], 20: ["5"] },
        sockets: () => [socket({ inode: "5", isListening: false })],
        tails: { 0: tail },
      },
      undefined,
    ],
    [
      "is a worker whose port others serve, and that failed to load",
      cluster,
      { sockets: served, tails: { 0: moduleTail } },
      { unseen: expect.stringMatching(/its worker has no connection/) },
    ],
    [
      "is a worker whose port others serve, with another error",
      cluster,
      { sockets: served, tails: { 0: tail } },
      undefined,
    ],
    ["is a worker whose port others serve, without a log", cluster, { sockets: served }, undefined],
    ["has an error of its start, and may still handle it", YOUNG, { tails: { 0: youngTail } }, YET],
    ["is a worker that may still load", { ...cluster, ...YOUNG }, { sockets: served, tails: { 0: youngTail } }, YET],
    ["has no log to read, and may still load", YOUNG, {}, undefined],
    ["has no error, and may still load", YOUNG, { tails: { 0: { lines: ["fine"], writtenMs: NOW } } }, undefined],
    [
      "listens within the time of its start, with an error",
      YOUNG,
      { held: { 10: ["5"] }, sockets: () => [socket({ inode: "5" })], tails: { 0: youngTail } },
      undefined,
    ],
    ["is a worker whose port nothing serves", cluster, { tails: { 0: tail } }, { notLoaded: expect.anything() }],
  ])("%s", async (_what, more, machine, expected) => {
    expect(await facts(more, machine)).toEqual(expected);
  });
});

describe("the gate of a start", () => {
  const fails = async (machine: Machine, circumstances: object = {}, more: Partial<ProcessRecord> = {}) => {
    const played = playMachine({ held: { 10: [] }, tails: { 0: moduleTail }, ...machine });
    const start = { start: "first", listeners: new Set<string>(), ...circumstances } as const;
    return [await hasFailedToLoad(played.ports as never, service(0, more), start), played.waitedMs()];
  };
  test.each<[string, Machine, object, Partial<ProcessRecord>, readonly [boolean, number]]>([
    ["fails for an error of a module", {}, {}, {}, [true, 0]],
    [
      "waits until that is certain",
      { tails: { 0: { lines: MODULE_ERROR, writtenMs: NOW - 4000 } } },
      {},
      { lastStartAt: NOW - 5000 },
      [true, 6000],
    ],
    [
      "waits for nothing without such an error",
      { tails: { 0: { lines: ["fine"], writtenMs: NOW - 4000 } } },
      {},
      { lastStartAt: NOW - 5000 },
      [false, 0],
    ],
    [
      "does not fail for another error beside a probe",
      { tails: { 0: tail } },
      { isProbed: true, start: "renewed" },
      {},
      [false, 0],
    ],
    ["fails for an error of a module beside a probe", {}, { isProbed: true }, {}, [true, 0]],
    ["does not fail without a log", { tails: {} }, {}, {}, [false, 0]],
    ["does not fail where the system shows nothing", { isBlind: true }, {}, {}, [false, 0]],
    ["does not fail without a process", {}, {}, { pid: null }, [false, 0]],
    ["reads what PM2's bus had instead of the log", { tails: {}, written: { 0: moduleTail } }, {}, {}, [true, 0]],
    ["reads the log if the bus had nothing", { written: { 0: { lines: [], writtenMs: NOW } } }, {}, {}, [true, 0]],
  ])("%s", async (_what, machine, circumstances, more, expected) => {
    expect(await fails(machine, circumstances, more)).toEqual(expected);
  });

  test("knows the listeners from before", async () => {
    const sockets = (): ReturnType<typeof socket>[] => [socket(), socket({ inode: "2", isListening: false })];
    expect(await readListeners(playMachine({ sockets }).ports)).toEqual(new Set(["1"]));
    expect(await readListeners(playMachine({ isBlind: true }).ports)).toEqual(new Set());
  });
});
