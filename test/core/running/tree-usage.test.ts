import { expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { ProcessReading } from "../../../src/core/files/reading.ts";
import {
  isMeasured,
  perMillisecond,
  processCpuPercent,
  readTreeUsage,
  treeUsage,
} from "../../../src/core/running/read-usage.ts";

const io = { readBytes: 0, writeBytes: 0 };
const readings = (atMs: number, ...processes: [pid: number, cpuMs: number, rssBytes: number | null][]) =>
  new Map<number, ProcessReading>(
    processes.map(([pid, cpuMs, rssBytes]) => [pid, { atMs, cpuMs, rssBytes, cpuPercent: null, io }]),
  );
const npm = { root: 1, descendants: [2, 3] };

test("npm, its shell and the server together", () => {
  const before = readings(0, [1, 100, 50], [2, 5, 1], [3, 1000, 70]);
  const now = readings(1000, [1, 110, 50], [2, 5, 1], [3, 1900, 80]);
  expect(treeUsage(npm, before, now)).toEqual({
    cpuPercent: 91,
    memoryBytes: 131,
    tree: { processCount: 3, ownCpuPercent: 1, ownMemoryBytes: 50 },
  });
});

test("a process alone has no tree, also after its children have ended", () => {
  const now = readings(1000, [1, 110, 50]);
  expect(treeUsage({ root: 1, descendants: [] }, undefined, now)).toEqual({ cpuPercent: null, memoryBytes: 50 });
  expect(treeUsage(npm, readings(0, [1, 100, 50]), now)).toEqual({ cpuPercent: 1, memoryBytes: 50 });
});

test("a child that has just begun counts with its memory, but has no rate yet", () => {
  const now = readings(1000, [1, 110, 50], [3, 900, 80]);
  expect(treeUsage(npm, readings(0, [1, 100, 50]), now)).toMatchObject({ cpuPercent: 1, memoryBytes: 130 });
});

test("what cannot be read of the process itself is not known of its tree", () => {
  const now = readings(1000, [1, 110, null], [3, 900, 80]);
  expect(treeUsage(npm, undefined, now)).toMatchObject({ cpuPercent: null, memoryBytes: null });
  expect(treeUsage(npm, undefined, new Map())).toEqual({ cpuPercent: null, memoryBytes: null });
});

test("a process without a rate counts as nothing beside others that have one", () => {
  const before = readings(0, [1, 100, 50], [2, 5, 1]);
  const now = readings(1000, [1, 110, 50], [2, 105, 1], [3, 900, null]);
  expect(treeUsage(npm, before, now)).toMatchObject({ cpuPercent: 11, memoryBytes: 51, tree: { processCount: 3 } });
});

test("only processes with children are measured, twice, and their reader is closed", async () => {
  const records = [
    { pmId: 7, pid: 1 },
    { pmId: 8, pid: 9 },
    { pmId: 9, pid: null },
    { pmId: 10, pid: 4, isElsewhere: true },
  ] as unknown as ProcessRecord[];
  const calls: unknown[] = [];
  const world = (children: ReadonlyMap<number, readonly number[]>) => ({
    clock: { sleep: async (ms: number) => void calls.push(ms) },
    machine: {
      openTrees: async () => ({ descendants: (roots: readonly number[]) => (calls.push(roots), children) }),
      openReader: async () => ({
        processes: async (pids: readonly number[]) => (
          calls.push(pids),
          readings(calls.length * 100, ...pids.map((pid): [number, number, number] => [pid, calls.length * 10, 5]))
        ),
        close: () => void calls.push("close"),
      }),
    },
  });
  const found = await readTreeUsage(world(new Map([[1, [2, 3]]])) as never, records);
  expect(calls).toEqual([[1, 9], [1, 2, 3], 200, [1, 2, 3], "close"]);
  expect([...found]).toEqual([[7, expect.objectContaining({ cpuPercent: 30, memoryBytes: 15 })]]);
  calls.length = 0;
  expect([...(await readTreeUsage(world(new Map([[9, []]])) as never, records))]).toEqual([]);
  expect(calls).toEqual([[1, 9]]);
  const blind = { machine: { openTrees: async () => undefined } };
  expect([...(await readTreeUsage(blind as never, records))]).toEqual([]);
  expect([isMeasured(records[0]!), isMeasured(records[2]!), isMeasured(records[3]!)]).toEqual([true, false, false]);
});

test("a rate needs two readings, of which the later one has counted no less", () => {
  const at = (atMs: number, cpuMs: number | null, cpuPercent: number | null = null): ProcessReading => ({
    atMs,
    cpuMs,
    rssBytes: 1,
    cpuPercent,
    io,
  });
  const rate = (before: ProcessReading | undefined, now: ProcessReading) =>
    perMillisecond(before, now, before?.cpuMs, now.cpuMs);
  expect([rate(at(0, 0), at(100, 50)), rate(at(0, 5), at(100, 5))]).toEqual([0.5, 0]);
  expect([rate(undefined, at(100, 5)), rate(at(0, null), at(100, 5)), rate(at(0, 5), at(100, null))]).toEqual([
    null,
    null,
    null,
  ]);
  expect([rate(at(100, 1), at(100, 5)), rate(at(0, 6), at(100, 5))]).toEqual([null, null]);
  expect([processCpuPercent(at(0, 0), at(100, 50, 12.34)), processCpuPercent(undefined, at(0, 0))]).toEqual([
    12.3,
    null,
  ]);
});
