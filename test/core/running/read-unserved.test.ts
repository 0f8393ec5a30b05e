/** Services whose ports nothing serves after an apply. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { readServedApps, readUnloaded, readUnserved } from "../../../src/core/running/read-unserved.ts";
import { MODULE_ERROR, NOW, playMachine, service, socket, type Machine } from "./played-kernel.ts";

const cluster = { execMode: "cluster" } as const;
const START = NOW - 30_000;
const tail = { lines: ["Error: x", "    at a (/srv/a.js:1:1)"], writtenMs: START + 100 };
const moduleTail = { lines: MODULE_ERROR, writtenMs: START + 100 };

describe("after an apply", () => {
  const sockets = (): ReturnType<typeof socket>[] => [socket()];
  test("an app is served if one of its processes, or PM2 for it, listens on its port", async () => {
    const of = async (machine: Machine, records: readonly ProcessRecord[]) => [
      ...(await readServedApps(playMachine(machine).ports, records)),
    ];
    expect(await of({ sockets, held: { 10: ["1"], 11: [] } }, [service(0), service(1)])).toEqual(["app0"]);
    expect(await of({ sockets, held: { 10: ["1"] } }, [service(0, { listenPorts: [4000] })])).toEqual([]);
    expect(await of({ isBlind: true }, [service(0)])).toEqual([]);
    expect(await of({ sockets, held: { 10: ["1"] } }, [service(0, { status: "stopped" })])).toEqual([]);
  });

  const unserved = async (
    machine: Machine,
    records: readonly ProcessRecord[],
    servedBefore: readonly string[] = [],
    failed?: boolean,
  ) => {
    const played = playMachine(machine);
    const doubts = await readUnserved(played.ports, records, {
      servedBefore: new Set(servedBefore),
      hasFailed: () => failed,
    });
    return { doubts: [...doubts], waitedMs: played.waitedMs() };
  };
  const no = "nothing of it listens on port 3000, and before this apply something did";
  const unseen = "it has no connection, does not listen on port 3000, and has no error log to read";
  test.each<[string, Machine, readonly ProcessRecord[], readonly string[], object]>([
    ["that served before", { held: { 10: [] } }, [service(0)], ["app0"], { doubts: [[0, no]], waitedMs: 0 }],
    [
      "that is still loading",
      { held: { 10: [] } },
      [service(0, { lastStartAt: NOW - 4000 })],
      ["app0"],
      { doubts: [[0, no]], waitedMs: 6000 },
    ],
    [
      "that begins to listen",
      { held: { 10: ["1"] }, sockets: (ms) => (ms < 1000 ? [] : sockets()) },
      [service(0, { lastStartAt: NOW - 4000 })],
      ["app0"],
      { doubts: [], waitedMs: 1000 },
    ],
    [
      "that never served, and has no log",
      { held: { 10: [] } },
      [service(0)],
      [],
      { doubts: [[0, unseen]], waitedMs: 0 },
    ],
    [
      "that never served, and has a log",
      { held: { 10: [] }, tails: { 0: tail } },
      [service(0)],
      [],
      { doubts: [], waitedMs: 0 },
    ],
    [
      "that has a connection",
      { held: { 10: ["5"] }, sockets: () => [socket({ inode: "5", isListening: false })] },
      [service(0)],
      [],
      { doubts: [], waitedMs: 0 },
    ],
    ["that this user may not see", { held: {} }, [service(0)], ["app0"], { doubts: [], waitedMs: 0 }],
    ["of which the system shows nothing", { isBlind: true }, [service(0)], ["app0"], { doubts: [], waitedMs: 0 }],
    ["without a port", { held: { 10: [] } }, [service(0, { listenPorts: [] })], ["app0"], { doubts: [], waitedMs: 0 }],
    [
      "of a cluster whose daemon this user may not see",
      { held: { 10: [] } },
      [service(0, cluster)],
      ["app0"],
      { doubts: [], waitedMs: 0 },
    ],
  ])("a service %s", async (_what, machine, records, servedBefore, expected) => {
    expect(await unserved(machine, records, servedBefore)).toEqual(expected);
  });

  const workers = [service(0, { ...cluster, name: "web" }), service(1, { ...cluster, name: "web" })];
  const machine: Machine = {
    sockets: () => [socket({ inode: "9" })],
    held: { 10: [], 11: [], 1: ["9"] },
    activity: () => ({ parentPid: 1 }),
  };
  test("a worker whose port others serve is in doubt if nothing shows that it does", async () => {
    const unheard = "others of its cluster may serve its port, and it has no error log to read";
    const unloaded = "it wrote an error of its start, and only others of its cluster may serve its port";
    expect((await unserved(machine, workers)).doubts).toEqual([
      [0, unheard],
      [1, unheard],
    ]);
    expect((await unserved(machine, workers, [], true)).doubts).toEqual([
      [0, unloaded],
      [1, unloaded],
    ]);
    expect((await unserved(machine, workers, [], false)).doubts).toEqual([]);
    expect((await unserved({ ...machine, tails: { 0: tail } }, workers)).doubts).toEqual([[1, unheard]]);
    expect((await unserved(machine, workers.slice(0, 1))).doubts).toEqual([]);
  });

  test("what svcm received says whether a worker has loaded", async () => {
    const received = await readUnloaded(
      playMachine({ list: [service(0), service(1), service(2)], written: { 0: moduleTail, 1: tail } }).ports as never,
    );
    expect([received(0), received(1), received(2)]).toEqual([true, false, undefined]);
  });
});
