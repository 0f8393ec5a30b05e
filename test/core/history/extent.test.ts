import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHistoryFiles } from "../../../src/core/history/history-files.node.ts";
import { readExtent } from "../../../src/core/history/operations/history.ts";
import { hourOf, partName } from "../../../src/core/history/parts.ts";
import { FileError } from "../../../src/core/index.ts";
import type { HistoryFiles } from "../../../src/core/history/port-history.ts";
import { historyFolder, stepsBetween, writeHistory } from "../../support/recorded.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-22T04:10:30Z");

/** Two closed hours and an open one, and the names of the files that were read. */
function recordedHours(openAtMs = START + 2 * HOUR) {
  const root = temporaryFolder();
  writeHistory(root, stepsBetween(START, START + 2.5 * HOUR), openAtMs);
  const folder = historyFolder(root);
  const files = nodeHistoryFiles(folder);
  const reads: string[] = [];
  const failing = new Set<string>();
  const counting: HistoryFiles = {
    ...files,
    read(name) {
      reads.push(name);
      return failing.has(name) ? Promise.reject(new FileError("EIO", name, "failed")) : files.read(name);
    },
  };
  const extent = async () => readExtent(counting, await counting.list());
  return { folder, reads, failing, extent };
}

function closedParts(atMs: number): string[] {
  return [partName(hourOf(atMs), "minutes"), partName(hourOf(atMs), "steps")].toSorted();
}

describe("the extent of the history", () => {
  test("is known without a read while the oldest closed hour is the same", async () => {
    const { reads, extent } = recordedHours();
    const first = await extent();
    expect(reads.toSorted()).toEqual(closedParts(START));
    for (let request = 0; request < 10; request += 1) expect(await extent()).toEqual(first);
    expect(reads).toHaveLength(2);
    expect(first.bytes).toBeGreaterThan(0);
  });

  test("is read again when another hour is the oldest", async () => {
    const { folder, reads, extent } = recordedHours();
    const { since } = await extent();
    for (const name of closedParts(START)) rmSync(join(folder, name));
    reads.length = 0;
    const later = await extent();
    expect(reads.toSorted()).toEqual(closedParts(START + HOUR));
    expect(later.since).toBeGreaterThan(since ?? Infinity);
  });

  test("is read at each request while the oldest hour is open", async () => {
    const { reads, extent } = recordedHours(START);
    await extent();
    await extent();
    expect(reads).toEqual([partName(hourOf(START), "open"), partName(hourOf(START), "open")]);
  });

  test("is read again after a failure", async () => {
    const { reads, failing, extent } = recordedHours();
    for (const name of closedParts(START)) failing.add(name);
    expect((await extent()).since).toBe(Date.parse("2026-11-22T04:00:00Z"));
    failing.clear();
    expect((await extent()).since).toBeGreaterThan(Date.parse("2026-11-22T04:00:00Z"));
    expect(reads).toHaveLength(4);
  });
});
