import { describe, expect, test } from "vitest";
import type { ProcessMetrics } from "../../../../src/client/index.ts";
import {
  isApplicable,
  type DriftEntry,
  driftText,
  groupByApp,
  toRow,
  type Row,
} from "../../../../src/console/tabs/monitoring/rows.ts";
import { createOrder, type Column } from "../../../../src/console/tabs/monitoring/address.ts";
import { frameExamples } from "../../../../src/core/api/frame-examples.ts";

const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];
const example = { ...(payload.processes[0] as ProcessMetrics), problem: null, state: "online" as const };
const gaveUp = { state: "errored", problem: { code: "PROCESS_ERRORED", details: "PM2 has given up on it." } } as const;

const processes = (...made: readonly Partial<ProcessMetrics>[]): ProcessMetrics[] =>
  made.map((more, pmId) => ({ ...example, pmId, name: `app-${pmId}`, ...more }));

const drift = (field: DriftEntry["field"], state: DriftEntry["state"], key: string | null = null): DriftEntry => ({
  name: "app",
  pmIds: [0],
  field,
  state,
  key,
  declared: null,
  running: null,
});

const rows = (list: readonly ProcessMetrics[], driftOf: (process: ProcessMetrics) => DriftEntry[] = () => []): Row[] =>
  groupByApp(list).map((one) => toRow(one, driftOf, () => undefined));

const names = (list: readonly Row[]): string[] => list.map(({ process }) => process.name);

test("a difference names a command that can be pasted, and the state of the app", () => {
  const scaled = { ...drift("instances", "different"), name: "shop 2", declared: 3, running: 1 };
  expect(driftText(scaled)).toBe("3 declared, 1 running. To change it: svcm scale 'shop 2' 3");
  expect(driftText({ ...drift("app", "missing"), running: "crash loop" })).toBe(
    "declared, and its state is crash loop.",
  );
});

describe("instances", () => {
  test("of one list are joined once, though the table, the attention and the charts ask for them at each sample", () => {
    const list = processes({ name: "shop" }, { name: "shop" });
    expect(groupByApp(list)).toBe(groupByApp(list));
    expect(groupByApp([...list])).not.toBe(groupByApp(list));
  });

  test("of one app are one row with the sums, the shortest uptime and the worst status", () => {
    const of = { name: "shop", restartCount: 1, diskIo: { ...example.diskIo, readBytesPerSecond: 5 } };
    const [row, ...others] = rows(
      processes(
        { ...of, cpuPercent: 5, memoryBytes: 10, uptimeMs: 9 },
        { ...of, cpuPercent: null, memoryBytes: 20, uptimeMs: 3, ...gaveUp },
        { ...of, cpuPercent: 7, memoryBytes: null, uptimeMs: null },
      ),
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      key: "× 0 shop",
      process: { pmId: 0, state: "errored", cpuPercent: 12, memoryBytes: 30, restartCount: 3, uptimeMs: 3 },
      attention: { rank: 0 },
    });
    expect(row?.process.diskIo.readBytesPerSecond).toBe(15);
    expect(row?.instances.map(({ pmId }) => pmId)).toEqual([0, 1, 2]);
  });

  test("of other namespaces or scripts are other rows", () => {
    const list = processes({ name: "a" }, { name: "a", namespace: "other" }, { name: "a", script: "/other.js" });
    expect(rows(list).map(({ key }) => key)).toEqual(["0 a", "1 a", "2 a"]);
  });

  test("a value that no instance has is unknown, not 0", () => {
    const [row] = rows(processes({ name: "a", cpuPercent: null }, { name: "a", cpuPercent: null }));
    expect(row?.process.cpuPercent).toBeNull();
  });
});

describe("attention", () => {
  test.each<[string, Partial<ProcessMetrics>, DriftEntry[], number | undefined, string | undefined]>([
    ["online", {}, [], undefined, undefined],
    ["stopped", { state: "stopped" }, [], undefined, undefined],
    ["starting", { state: "starting" }, [], undefined, undefined],
    ["waiting for its schedule", { state: "waiting" }, [], undefined, undefined],
    ["errored", gaveUp, [], 0, "PM2 has given up on it."],
    ["a crash loop", { problem: { code: "PROCESS_CRASH_LOOP", details: "It ended." } }, [], 1, "It ended."],
    ["waiting", { status: "waiting restart" }, [], 2, "PM2 waits before the next restart."],
    ["drift of arguments", {}, [drift("args", "different")], 3, "args: another value is declared."],
    [
      "drift that only a new process ends",
      {},
      [drift("watch", "different")],
      3,
      "watch: another value is declared. A restart keeps it; delete and start the app to apply it.",
    ],
    ["drift", {}, [drift("env", "absent", "MODE")], 3, "MODE: declared, not in the running process."],
    ["an undeclared process", {}, [drift("app", "unexpected")], 5, ""],
  ])("of %s", (_name, more, entries, rank, why) => {
    const [row] = rows(processes(more), () => entries);
    expect([row?.attention?.rank, row?.attention?.reason]).toEqual([rank, why]);
  });

  test.each<[boolean, DriftEntry]>([
    [true, drift("env", "absent", "MODE")],
    [true, drift("env", "stale", "OLD")],
    [true, drift("cwd", "different")],
    [true, drift("args", "different")],
    [false, drift("envFile", "stale")],
    [false, drift("script", "stale")],
    [false, drift("execMode", "different")],
    [false, drift("instances", "different")],
    [false, drift("app", "unexpected")],
  ])("a restart with the ecosystem file is offered: %s, %j", (isOffered, entry) =>
    expect(isApplicable(entry)).toBe(isOffered),
  );

  test("the reason is the most urgent difference, with the number of other differences", () => {
    const entries = [drift("app", "unexpected"), drift("env", "stale", "OLD"), drift("env", "different", "MODE")];
    const [row] = rows(processes({}), () => entries);
    expect(row?.attention).toEqual({ rank: 3, reason: "MODE: another value is declared. And 2 more." });
  });
});

describe("order", () => {
  const sorted = (list: readonly Row[], by: Column, isDescending: boolean): string[] => {
    const order = createOrder();
    order.sorting.value = { by, isDescending };
    return names(order.sorted(list));
  };

  test("by status, processes that need attention come first, then those that PM2 does not run; within that by name", () => {
    const list = processes(
      { name: "b-fine" },
      { name: "undeclared" },
      { name: "stopped", state: "stopped" },
      { name: "stale" },
      { name: "errored", ...gaveUp },
      { name: "a-fine" },
      { name: "looping", problem: { code: "PROCESS_CRASH_LOOP", details: "" } },
    );
    const found = rows(list, ({ name }) =>
      name === "undeclared" ? [drift("app", "unexpected")] : name === "stale" ? [drift("env", "stale", "OLD")] : [],
    );
    const expected = ["errored", "looping", "stale", "undeclared", "stopped", "a-fine", "b-fine"];
    expect(names(createOrder().sorted(found))).toEqual(expected);
    expect(sorted(found, "status", false)).toEqual(expected);
  });

  test("by a number, a missing value comes last in both directions", () => {
    const list = rows(
      processes({ name: "none", cpuPercent: null }, { name: "low", cpuPercent: 1 }, { name: "high", cpuPercent: 9 }),
    );
    expect(sorted(list, "cpu", true)).toEqual(["high", "low", "none"]);
    expect(sorted(list, "cpu", false)).toEqual(["low", "high", "none"]);
  });
});
