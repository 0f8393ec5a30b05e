import { expect, test } from "vitest";
import type { ProcessReading } from "../../../src/core/files/reading.ts";
import { treeUsage } from "../../../src/core/running/read-usage.ts";

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
