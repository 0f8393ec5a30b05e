import { expect, test } from "vitest";
import { RecordStore } from "../../../../src/core/running/evidence/record-store.ts";
import { Unit } from "../../../../src/core/running/evidence/unit.ts";
import type { WalkedEntry } from "../../../../src/core/running/evidence/walk.ts";
import { noteBootWrites } from "../../../../src/core/running/evidence/weights.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const entry = (path: string, changedMs: number): WalkedEntry => ({
  path,
  absolute: `/srv/${path}`,
  kind: "file",
  size: 1,
  ino: 1,
  modifiedMs: changedMs,
  changedMs,
  bornMs: 0,
  isOutside: false,
});

test("data that two runs write while they start is the app's own, and a program or a later write is not", () => {
  const store = new RecordStore(temporaryFolder());
  const root = temporaryFolder();
  const request = {
    app: "a",
    cwd: root,
    script: root,
    folder: root,
    include: [],
    exclude: [],
    others: [],
    processes: [],
  };
  const look = (sinceMs: number, written: Readonly<Record<string, number>>): string[] => {
    const ownOf = (folder: string) =>
      [...store.readBootWrites(folder)].flatMap(([path, ms]) => (ms === null ? [path] : []));
    const read = () => ({ walk: { entries: [], problem: null, venvs: [] }, digester: undefined as never });
    const unit = new Unit(request, { root, budget: { problem: null } as never, read, ownOf });
    const newer = Object.entries(written).map(([path, afterMs]) => entry(path, sinceMs + afterMs));
    noteBootWrites(unit, newer, sinceMs, store);
    return [...(unit.rules.own ?? [])];
  };
  const first = {
    "report.json": 10,
    "rates.csv": 10,
    "late.json": 5001,
    "server.js": 10,
    "edge.yaml": 5000,
    "config/shop.json": 10,
  };
  expect(look(NOON, first)).toEqual([]);
  expect(look(NOON, first)).toEqual([]);
  // The same run, again.
  expect(look(NOON, { "report.json": 4000 })).toEqual([]);
  const again = {
    "report.json": 20,
    "rates.csv": 20,
    "late.json": 6000,
    "server.js": 20,
    "edge.yaml": 5000,
    "config/shop.json": 20,
  };
  expect(look(NOON + 60_000, again)).toEqual(["report.json", "rates.csv", "edge.yaml"]);
  expect(look(NOON + 90_000, {})).toEqual(["report.json", "rates.csv", "edge.yaml"]);
});
