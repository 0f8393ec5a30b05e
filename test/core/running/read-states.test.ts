/** The facts that svcm reads before it judges processes, and those that it does not read again. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { FactsReader, readEnd, readNextTimes, readStateOf } from "../../../src/core/running/read-states.ts";
import { record } from "../../support/process-record.ts";
import { NOW, playMachine, service, socket, type Machine } from "./played-kernel.ts";

const { declaration } = record();
const of = (settings: object): Partial<ProcessRecord> => ({
  declaration: { ...declaration, settings: settings },
});
const STOPPED = { status: "stopped", pid: null, startedAt: null } as const;
const job = { ...of({ autorestart: false, cronRestart: "x" }), cronRestart: "0 3 * * *" };
const task = of({ autorestart: false });
const read = async (records: readonly ProcessRecord[], machine: Machine = {}) => {
  const played = playMachine(machine);
  return { facts: await new FactsReader(played.ports).read(records), ...played };
};

describe("PM2's log is read", () => {
  test.each<[string, Partial<ProcessRecord>, number]>([
    ["for a process at rest", STOPPED, 1],
    ["for a job, also while it runs", job, 1],
    ["not for a service that runs well", {}, 0],
    ["for one that PM2 restarted often", { restartCount: 100 }, 1],
  ])("%s", async (_what, more, count) => {
    expect((await read([service(0, { lastStartAt: 1, ...more })])).reads.logs).toBe(count);
  });

  test("once while a process stays at rest, and again after another run", async () => {
    const { ports, reads } = playMachine();
    const reader = new FactsReader(ports);
    const rest = service(0, { ...STOPPED, lastStartAt: 1 });
    await reader.read([rest]);
    await reader.read([rest]);
    expect(reads.logs).toBe(1);
    for (const more of [{ lastStartAt: 2 }, { restartCount: 1 }, { exitCode: 1 }, { uniqueId: "b" }])
      await reader.read([{ ...rest, ...more }]);
    expect(reads.logs).toBe(5);
  });

  test("and it may be missing", async () => {
    const { ports } = playMachine();
    const broken = {
      ...ports,
      processLogs: { ...ports.processLogs, readPm2Log: () => Promise.reject(new Error("x")) },
      audit: { newest: () => Promise.reject(new Error("x")) },
    };
    const facts = await new FactsReader(broken as never).read([service(0, STOPPED)]);
    expect(facts.get(0)).toMatchObject({ hasErrorBlock: false });
  });
});

describe("the end of a task", () => {
  const ended = service(0, { ...task, ...STOPPED, lastStartAt: NOW - 1000, exitCode: 0 });
  const killed = { type: "exit", code: 0, signal: "SIGKILL", name: "app0", pmId: 0, atMs: NOW };
  /** @param afterMs when PM2's log has the line */
  const endOf = async (afterMs: number, exists = true) => {
    const played = playMachine();
    const processLogs = {
      ...played.ports.processLogs,
      readCoverage: async () => ({ exists, fromMs: null }),
      readPm2Log: async () => ({ entries: played.waitedMs() < afterMs ? [] : [{ ...killed, name: ended.name }] }),
    };
    const { state } = await readEnd({ ...played.ports, processLogs } as never, ended);
    return [state.name, state.reason, played.waitedMs()];
  };
  test.each([
    ["is in PM2's log at once", 0, true, ["failed", "by SIGKILL", 0]],
    ["reaches the log later than the list", 300, true, ["failed", "by SIGKILL", 300]],
    ["may not reach the log", 9000, true, ["ended", null, 2000]],
    ["is in no log under pm2-runtime", 9000, false, ["ended", null, 0]],
  ])("%s", async (_what, afterMs, exists, expected) => {
    expect(await endOf(afterMs, exists)).toEqual(expected);
  });
});

test.each<[string, Partial<ProcessRecord>, number]>([
  ["at rest", STOPPED, 1],
  ["that is a job", { ...job, ...STOPPED }, 0],
  ["that runs", { restartCount: 100 }, 0],
])("the audit says who stopped a process %s", async (_what, more, count) => {
  expect((await read([service(0, more)])).reads.audit).toBe(count);
});

describe("an error of a task or job", () => {
  const START = NOW - 30_000;
  const error = { lines: ["fine", "TypeError: x"], writtenMs: START };
  test.each<[string, Partial<ProcessRecord>, Machine["tails"], boolean]>([
    ["since its start", task, { 0: error }, true],
    ["of an older run", task, { 0: { ...error, writtenMs: START - 1 } }, false],
    ["is none", task, { 0: { ...error, lines: ["fine"] } }, false],
    ["may be the line of a stack", task, { 0: { ...error, lines: ["    at a (b.js:1)"] } }, true],
    ["without a log", task, {}, false],
    ["that never ran", { ...task, lastStartAt: null }, { 0: error }, false],
    ["of a service plays no part", {}, { 0: error }, false],
  ])("%s", async (_what, more, tails, expected) => {
    const { facts } = await read([service(0, { ...STOPPED, ...more })], { tails: tails ?? {} });
    expect(facts.get(0)).toMatchObject({ hasErrorBlock: expected });
  });
});

describe("the schedule of a job", () => {
  test.each<[string, Machine["times"], object | undefined]>([
    ["has its next time, and the one after its last start", [5, 3], { nextMs: 5, dueMs: 3, zone: "UTC" }],
    ["may have no time any more", [null, null], { nextMs: null, dueMs: null, zone: "UTC" }],
    ["is not known if PM2's library does not read it", ["invalid", 3], undefined],
    ["is not known if it reads one of them", [5, "invalid"], undefined],
    ["is not known without the library", undefined, undefined],
  ])("%s", async (_what, times, expected) => {
    const { facts } = await read([service(0, job)], times === undefined ? {} : { times });
    expect(facts.get(0)?.schedule).toEqual(expected);
  });

  test("belongs to the job, and a service with a schedule is not a job", async () => {
    const { facts } = await read([service(0, { cronRestart: "x" }), service(1, job)], { times: [5, 3] });
    expect([facts.get(0)?.schedule, facts.get(1)?.schedule?.nextMs]).toEqual([undefined, 5]);
  });

  test("is read from its last start, or from its creation", async () => {
    const moments: unknown[] = [];
    const { ports } = playMachine();
    const schedules = { next: async (requested: unknown) => void moments.push(requested) };
    const reader = new FactsReader({ ...ports, schedules });
    const pattern = "0 3 * * *";
    for (const more of [{ lastStartAt: 5 }, { lastStartAt: null, createdAt: 4 }, { lastStartAt: null }])
      await reader.read([service(0, { ...job, ...more })]);
    expect(moments).toEqual(
      [5, 4, NOW].map((afterMs) => [
        { pattern, afterMs: NOW },
        { pattern, afterMs },
      ]),
    );
  });

  test("is shown in a list, unless PM2's library does not read it", async () => {
    const times = async (machine: Machine) => [
      ...(await readNextTimes(playMachine(machine).ports, [service(0), service(1, job), service(2, job)])),
    ];
    const shown = await times({ times: [5, "invalid"] });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject([1, { zone: "UTC" }]);
    expect(await times({})).toEqual([]);
  });
});

test("a process without a pid names the other apps whose memory limits PM2 has stopped to watch", async () => {
  const limited = of({ maxMemoryRestart: 1 });
  const lost = service(0, { pid: null, ...limited });
  const { facts } = await read([
    lost,
    service(1, limited),
    service(2, { ...limited, name: "app1" }),
    service(3),
    service(4, { ...limited, pid: null, status: "stopped" }),
  ]);
  expect(facts.get(0)?.limitedOthers).toEqual(["app1"]);
  expect(facts.get(1)?.limitedOthers).toBeUndefined();
  expect((await read([lost])).facts.get(0)?.limitedOthers).toBeUndefined();
});

describe("whether processes serve is looked at", () => {
  const looks = async (machine: Machine, passedMs: number): Promise<number> => {
    const { ports, reads, pass } = playMachine(machine);
    const reader = new FactsReader(ports);
    await reader.read([service(0)]);
    const before = reads.trees;
    pass(passedMs);
    await reader.read([service(0)]);
    return reads.trees - before;
  };
  const well: Machine = { held: { 10: ["1"] }, sockets: () => [socket()] };
  test("not again for a while if they do", async () => {
    expect(await looks(well, 1)).toBe(0);
    expect(await looks(well, 600_000)).toBe(1);
  });
  test("each time if one hangs, and since when that is so", async () => {
    const { ports } = playMachine({ held: { 10: ["1"] }, sockets: () => [socket({ waiting: 2 })] });
    const reader = new FactsReader(ports);
    expect((await reader.read([service(0)])).get(0)?.hung).toMatch(/ for 2\.0 s\.$/);
    expect((await reader.read([service(0)])).get(0)?.hung).toMatch(/ at any look since /);
  });
});

test("a state comes from all of this, and from the folders that exist", async () => {
  const { ports } = playMachine({ held: { 10: ["1"] }, sockets: () => [socket()] });
  const stateOf = await readStateOf({ ...ports, stamps: { missing: () => new Set(["/srv"]) } } as never, [
    service(0),
    service(1, STOPPED),
  ]);
  expect([stateOf(service(0)).name, stateOf(service(1, STOPPED)).name]).toEqual(["online", "stopped"]);
  expect(stateOf(service(0)).problem).toMatchObject({ code: "PROCESS_FOLDER_MISSING" });
});
