import { describe, expect, test } from "vitest";
import { findConditions, isUnknownIn, measureGrowth, MemoryTrend } from "../../../src/core/alerts/conditions.ts";
import { alertRules } from "../../../src/core/api/names.ts";
import type { Sample } from "../../../src/core/index.ts";
import { hostSample, sample } from "../../server/socket/hand-telemetry.ts";

type Metrics = Extract<Sample, { kind: "metrics" }>;
type Payload = Metrics["payload"];

const MIB = 2 ** 20;
const MINUTE = 60_000;
const NONE = new Map<string, never>();

function metrics(change: (payload: Payload) => Partial<Payload>): Metrics {
  const { payload } = sample(0);
  return { kind: "metrics", payload: { ...payload, ...change(payload) } };
}

const withProcess = (more: Partial<Payload["processes"][number]>) =>
  metrics(({ processes: [first] }) => ({ processes: [{ ...first!, ...more }] }));

describe("the conditions of alerts", () => {
  test("a healthy sample meets no condition", () => {
    expect(
      findConditions(
        metrics(() => ({})),
        NONE,
      ),
    ).toEqual([]);
  });

  test("a declared app without an online process, and an errored process", () => {
    const missing = metrics(({ ecosystem }) => ({ ecosystem: { ...ecosystem, missingExpected: ["worker"] } }));
    expect(findConditions(missing, NONE)).toMatchObject([{ rule: "not-online", subject: "worker" }]);
    for (const state of ["errored", "given up", "missing", "hung", "not loaded"] as const)
      expect(findConditions(withProcess({ state }), NONE)).toMatchObject([
        { rule: "not-online", subject: "dev-restapi (0)", details: `dev-restapi (0) is ${state}.` },
      ]);
    expect(findConditions(withProcess({ state: "stopped" }), NONE)).toEqual([]);
  });

  test("a declared service that a user stopped, with the name of the user", () => {
    const missing = metrics(({ ecosystem, processes: [first] }) => ({
      ecosystem: { ...ecosystem, missingExpected: ["dev-restapi"] },
      processes: [{ ...first!, state: "stopped", stateReason: "by alice since 14:02" }],
    }));
    expect(findConditions(missing, NONE)).toMatchObject([
      {
        rule: "not-online",
        subject: "dev-restapi",
        details: expect.stringMatching(/ does not run: it is stopped by alice since 14:02\.$/) as string,
      },
    ]);
  });

  test.each(["JOB_FAILED", "JOB_MISSED", "JOB_STUCK"] as const)("a job with %s, by its name", (code) => {
    const problem = { code, details: "Its last run ended with exit code 3." };
    expect(findConditions(withProcess({ state: "waiting", problem }), NONE)).toMatchObject([
      { rule: "job", subject: "dev-restapi (0)", details: `dev-restapi (0): ${problem.details}` },
    ]);
  });

  test("a crash loop", () => {
    const problem = { code: "PROCESS_CRASH_LOOP", details: "It was restarted 26 times." } as const;
    const loop = { rule: "crash-loop", subject: "dev-restapi (0)", details: `dev-restapi (0): ${problem.details}` };
    expect(findConditions(withProcess({ problem }), NONE)).toMatchObject([loop]);
    // A declared app that loops is not online either, and that is the same trouble.
    const missing = { name: "dev-restapi", pmIds: [0], field: "app", state: "missing", key: null } as const;
    const drift = [{ ...missing, declared: null, running: "crash loop" }];
    for (const missingExpected of [[], ["dev-restapi"]]) {
      const looping = metrics(({ ecosystem, processes: [first] }) => ({
        ecosystem: { ...ecosystem, drift, missingExpected },
        processes: [{ ...first!, state: "crash loop", problem }],
      }));
      expect(findConditions(looping, NONE)).toMatchObject([loop]);
    }
  });

  test("drift of an app, by the names of what differs and without a value", () => {
    const entry = { name: "api", pmIds: [0], field: "env", declared: null, running: null } as const;
    const drift = [
      { ...entry, state: "stale", key: "LOG_LEVEL" },
      { ...entry, state: "different", field: "script", key: null, declared: "a.js", running: "b.js" },
      { ...entry, name: "worker", state: "missing", field: "app", key: null },
    ] as const;
    const sampled = metrics(({ ecosystem }) => ({ ecosystem: { ...ecosystem, drift: [...drift] } }));
    const [condition, ...others] = findConditions(sampled, NONE);
    expect(others).toEqual([]);
    expect(condition).toMatchObject({ rule: "drift", subject: "api" });
    expect(condition?.details).toContain("LOG_LEVEL, script");
    expect(condition?.details).not.toContain("a.js");
  });

  test.each([
    [100, 20, false],
    [100, 9, true],
    [10, 1.5, true],
    [1000, 150, false],
  ])("a file system of %s GiB with %s GiB free: %s", (total, free, isFull) => {
    const GIB = 2 ** 30;
    const disk = {
      path: "/",
      totalBytes: total * GIB,
      availableBytes: free * GIB,
      freeBytes: 0,
      usedBytes: 0,
      usedPercent: 0,
    };
    const sampled = metrics(({ host }) => ({ host: { ...host, disk: [disk] } }));
    expect(findConditions(sampled, NONE).map(({ rule }) => rule)).toEqual(isFull ? ["disk"] : []);
  });

  test("a PM2 that cannot be read", () => {
    expect(findConditions(hostSample, NONE)).toMatchObject([{ rule: "pm2-away", subject: "PM2" }]);
  });

  test("is unknown without what shows it: PM2, the ecosystem file, or the figures of the disk", () => {
    const unknownIn = (sampled: Parameters<typeof isUnknownIn>[0]) =>
      alertRules.filter((rule) => isUnknownIn(sampled, { rule, subject: "/" }));
    const unread = { path: "/", error: "EIO", code: "EIO" };
    expect(unknownIn(metrics(() => ({})))).toEqual([]);
    expect(unknownIn(metrics(({ host }) => ({ host: { ...host, disk: [unread] } })))).toEqual(["disk"]);
    const unreadable = metrics(({ ecosystem }) => ({ ecosystem: { ...ecosystem, error: "It throws." } }));
    expect(unknownIn(unreadable)).toEqual(["not-online", "drift"]);
    expect(unknownIn(hostSample)).toEqual(["not-online", "crash-loop", "job", "memory-growth", "drift"]);
  });
});

describe("memory that grows", () => {
  const minutes = (count: number, bytesAt: (minute: number) => number) =>
    Array.from({ length: count }, (_, at) => ({ atMs: at * MINUTE, bytes: bytesAt(at) }));

  test("grows steadily and would exhaust the machine's memory within a day", () => {
    const growth = measureGrowth(
      minutes(120, (minute) => 100 * MIB + minute * MIB),
      600 * MIB,
    );
    expect(Math.round((growth?.bytesPerHour ?? 0) / MIB)).toBe(60);
    expect(Math.round(growth?.hoursLeft ?? 0)).toBe(10);
  });

  test("counts from the first hour on", () => {
    const growing = minutes(61, (minute) => minute * MIB);
    expect(measureGrowth(growing, 600 * MIB)).toBeDefined();
    expect(measureGrowth(growing.slice(0, -1), 600 * MIB)).toBeUndefined();
  });

  test.each([
    ["for less than an hour", minutes(50, (minute) => minute * MIB), 600 * MIB],
    ["slowly", minutes(120, (minute) => minute * 1024), 600 * MIB],
    ["by nothing", minutes(120, () => 100 * MIB), 600 * MIB],
    ["by less than nothing", minutes(120, (minute) => (200 - minute) * MIB), 600 * MIB],
    ["as a saw, as a garbage collector makes it", minutes(300, (minute) => (minute % 30) * MIB), 600 * MIB],
    ["by leaps", minutes(120, (minute) => (minute * 0.2 + (minute % 2) * 20) * MIB), 100 * MIB],
    ["without a measurement", [], 600 * MIB],
  ])("memory that grows %s is not reported", (_how, points, availableBytes) => {
    expect(measureGrowth(points, availableBytes)).toBeUndefined();
  });

  test.each([
    ["six hours ago", 360 * MINUTE, true],
    ["earlier", 360 * MINUTE + 1, false],
  ])("is measured with what was used %s: %s ms, %s", (_, atMs, isFound) => {
    const trend = new MemoryTrend();
    const add = (ms: number, memoryBytes: number) => {
      const { payload } = withProcess({ memoryBytes });
      return trend.add({ kind: "metrics", payload: { ...payload, collectedAt: new Date(ms).toISOString() } });
    };
    add(0, MIB);
    expect(add(atMs, 10_000 * MIB).size > 0).toBe(isFound);
  });

  test("is found sample by sample, and its state is removed with its process", () => {
    const trend = new MemoryTrend();
    let found: ReadonlyMap<string, unknown> = new Map();
    const at = (second: number, memoryBytes: number): Metrics => {
      const { payload } = withProcess({ memoryBytes });
      const memory = { ...payload.host.memory, availableBytes: 600 * MIB };
      const collectedAt = new Date(second * 1000).toISOString();
      return { kind: "metrics", payload: { ...payload, collectedAt, host: { ...payload.host, memory } } };
    };
    for (let second = 0; second <= 7200; second += 10) found = trend.add(at(second, 100 * MIB + second * 20_000));
    expect([...found.keys()]).toEqual(["dev-restapi (0)"]);
    const { payload } = at(7210, 0);
    const processes = payload.processes.map((one) => ({ ...one, name: "another" }));
    expect([...trend.add({ kind: "metrics", payload: { ...payload, processes } }).keys()]).toEqual([]);
    expect([...trend.add(at(7220, 400 * MIB)).keys()]).toEqual([]);
  });
});
