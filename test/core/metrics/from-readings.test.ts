import { foreignCode } from "../../../src/core/api/issue.ts";
import { describe, expect, test } from "vitest";
import { hostMetrics, ioRates, usagePercent } from "../../../src/core/metrics/payload.ts";
import { processCpuPercent } from "../../../src/core/running/process-rate.ts";
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
