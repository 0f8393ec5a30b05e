import { foreignCode } from "../../../src/core/api/issue.ts";
import { describe, expect, test } from "vitest";
import { hostMetrics, ioRates, metricsPayload, uptimeMs, usagePercent } from "../../../src/core/metrics/payload.ts";
import type { ProcessStateName } from "../../../src/core/api/names.ts";
import { plainState } from "../../../src/core/running/state.ts";
import { record } from "../../support/process-record.ts";
import { payload } from "./exposed-facts.ts";
import { processCpuPercent } from "../../../src/core/running/read-usage.ts";
import type { HostReading, ProcessReading } from "../../../src/core/files/reading.ts";

const reading = (more: Partial<ProcessReading>): ProcessReading => ({
  atMs: 0,
  cpuMs: 0,
  cpuPercent: null,
  rssBytes: 1,
  io: {
    readBytes: 0,
    writeBytes: 0,
  },
  ...more,
});

describe("the use of a core", () => {
  test.each([
    [{ busy: 10, total: 100 }, { busy: 35, total: 200 }, 25],
    [{ busy: 10, total: 100 }, { busy: 10, total: 200 }, 0],
    [{ busy: 10, total: 100 }, { busy: 10, total: 100 }, null],
    [{ busy: 10, total: 100 }, { busy: 9, total: 200 }, null],
    [{ busy: 10, total: 100 }, { busy: 130, total: 200 }, 100],
    [undefined, { busy: 10, total: 100 }, null],
    [{ busy: 10, total: 100 }, undefined, null],
  ])("%j to %j is %j", (before, now, percent) => {
    expect(usagePercent(before, now)).toBe(percent);
  });
});

describe("a process", () => {
  test("two busy threads use 200 per cent of a core", () => {
    expect(processCpuPercent(reading({}), reading({ atMs: 500, cpuMs: 1000 }))).toBe(200);
  });

  test("neither a first reading nor one of another process with the same pid has a rate", () => {
    expect(processCpuPercent(undefined, reading({ atMs: 500, cpuMs: 1000 }))).toBeNull();
    expect(processCpuPercent(reading({ cpuMs: 400 }), reading({ atMs: 500, cpuMs: 10 }))).toBeNull();
  });

  test("a CPU share from the system is used unchanged", () => {
    expect(processCpuPercent(undefined, reading({ cpuPercent: 12.34, cpuMs: null }))).toBe(12.3);
  });

  test("disk traffic is in bytes per second", () => {
    const before = reading({ io: { readBytes: 1000, writeBytes: 0 } });
    const now = reading({ atMs: 250, io: { readBytes: 2000, writeBytes: 500 } });
    expect(ioRates(before, now)).toEqual({ readBytesPerSecond: 4000, writeBytesPerSecond: 2000 });
  });

  test("traffic that the user may not see is null, never 0", () => {
    const hidden = { supported: true, code: foreignCode("EACCES"), error: "hidden" };
    const nothing = { readBytesPerSecond: null, writeBytesPerSecond: null };
    expect(ioRates(reading({}), reading({ atMs: 250, io: hidden }))).toEqual(nothing);
    expect(ioRates(reading({ io: hidden }), reading({ atMs: 250 }))).toEqual(nothing);
  });
});

describe("the host", () => {
  const host = (more: Partial<HostReading> = {}): HostReading => ({
    all: { busy: 50, total: 100 },
    cores: new Map([
      [2, { busy: 50, total: 100 }],
      [0, { busy: 0, total: 100 }],
    ]),
    memory: { totalBytes: 1000, freeBytes: 100, availableBytes: 400 },
    loadAvg: null,
    ...more,
  });
  const facts = { before: undefined, now: host(), cpuModel: null, system: null, disks: [], processRssSumBytes: 250 };

  test("the first reading has no rates, but has an entry for each core", () => {
    expect(hostMetrics(facts).cpu).toEqual({
      coreCount: 2,
      model: null,
      usagePercent: null,
      perCore: [null, null],
      loadAvg: {
        one: null,
        five: null,
        fifteen: null,
      },
    });
  });

  test("cores are in the order of their numbers", () => {
    const now = host({ cores: new Map([[0, { busy: 10, total: 200 }], [2, { busy: 150, total: 200 }]]) }); // prettier-ignore
    expect(hostMetrics({ ...facts, before: host(), now }).cpu.perCore).toEqual([10, 100]);
  });

  test("used memory is total memory without available memory", () => {
    expect(hostMetrics(facts).memory).toMatchObject({ usedBytes: 600, usedPercent: 60, otherBytes: 350 });
  });

  test("memory of unknown processes is null", () => {
    const { memory } = hostMetrics({ ...facts, processRssSumBytes: null });
    expect(memory).toMatchObject({ processRssSumBytes: null, otherBytes: null });
  });

  test("disk usage is counted as df does, and an unreadable disk has the reason", () => {
    const failed = { path: "/gone", code: foreignCode("ETIMEDOUT"), error: "late" };
    const disks = [{ path: "/", blockBytes: 10, blocks: 100, freeBlocks: 40, availableBlocks: 20 }, failed];
    expect(hostMetrics({ ...facts, disks }).disk).toEqual([
      { path: "/", totalBytes: 1000, freeBytes: 400, availableBytes: 200, usedBytes: 600, usedPercent: 75 },
      failed,
    ]);
  });
});

describe("the summary of processes", () => {
  const host: HostReading = {
    all: { busy: 1, total: 2 },
    cores: new Map(),
    memory: { totalBytes: 2, freeBytes: 1, availableBytes: 1 },
    loadAvg: null,
  };
  type Shown = readonly [state: ProcessStateName, status: string, pid: number | null];

  function summaryOf(shown: readonly Shown[], readings: ReadonlyMap<number, ProcessReading> = new Map()) {
    const states = shown.map(([name]) => name);
    return metricsPayload({
      environment: "dev",
      epochMs: 0,
      platform: "linux",
      measured: {
        before: undefined,
        now: { host, descendants: new Map(), processes: readings },
        disks: [],
        cpuModel: null,
        system: null,
      },
      records: shown.map(([, status, pid], pmId) => record({ pmId, status, pid })),
      ecosystem: payload.ecosystem,
      own: { pids: [], pm2: null },
      stateOf: ({ pmId }) => plainState(states[pmId] ?? "unknown"),
      asyncContext: () => null,
    }).summary;
  }

  test.each<[string, readonly Shown[], object]>([
    ["none", [], { processCount: 0, onlineCount: 0, stoppedCount: 0, erroredCount: 0, statusCounts: {} }],
    [
      "one of each",
      [
        ["online", "online", 1],
        ["running", "online", 2],
        ["waiting", "stopped", null],
        ["ended", "stopped", null],
        ["stopped", "stopped", null],
        ["errored", "errored", null],
        ["given up", "waiting restart", null],
        ["hung", "online", 3],
        ["crash loop", "online", 4],
      ],
      {
        processCount: 9,
        onlineCount: 2,
        stoppedCount: 1,
        erroredCount: 2,
        statusCounts: { online: 4, stopped: 3, errored: 1, "waiting restart": 1 },
      },
    ],
  ])("counts what svcm judges, beside what PM2 shows: %s", (_what, shown, expected) => {
    expect(summaryOf(shown)).toMatchObject(expected);
  });

  test.each<[string, readonly Shown[], ReadonlyMap<number, ProcessReading>, number | null]>([
    ["nothing runs", [["stopped", "stopped", null]], new Map(), 0],
    ["no process could be measured", [["online", "online", 7]], new Map(), null],
    [
      "one of two could be",
      [
        ["online", "online", 7],
        ["online", "online", 8],
      ],
      new Map([[7, reading({ rssBytes: 5000 })]]),
      5000,
    ],
  ])("the memory of all is null, never 0, if it is not known: %s", (_what, shown, readings, bytes) => {
    expect(summaryOf(shown, readings).totalMemoryBytes).toBe(bytes);
  });
});

test.each([
  [null, null],
  [1000, 0],
  [999, 1],
  // The clock was set back.
  [1001, null],
])("a process that started at %j has run for %j ms at 1000", (startedAt, expected) => {
  expect(uptimeMs({ startedAt }, 1000)).toBe(expected);
});
