/** Conditions of what a look cannot see, and the borders of those that it can. */
import { describe, expect, test } from "vitest";
import {
  bootConditions,
  findConditions,
  isUndecided,
  measureGrowth,
  MemoryTrend,
  type Condition,
} from "../../../src/core/alerts/conditions.ts";
import type { Issue, Sample } from "../../../src/core/index.ts";
import { hostSample, sample } from "../../server/socket/hand-telemetry.ts";

type Payload = Extract<Sample, { kind: "metrics" }>["payload"];

const [MIB, GIB] = [2 ** 20, 2 ** 30];
const [MINUTE, HOUR] = [60_000, 3_600_000];
const NONE = new Map<string, never>();
const metrics = (change: (payload: Payload) => Partial<Payload> = () => ({})): Extract<Sample, { kind: "metrics" }> => {
  const { payload } = sample(0);
  return { kind: "metrics", payload: { ...payload, ...change(payload) } };
};
const withDisk = (disk: object) =>
  metrics(({ host }) => ({ host: { ...host, disk: [disk as Payload["host"]["disk"][number]] } }));

describe("an incident is not over", () => {
  const trend = new MemoryTrend();
  const broken = metrics(({ ecosystem }) => ({ ecosystem: { ...ecosystem, error: "x" } }));
  const unread = withDisk({ path: "/data", code: "EIO", details: "x" });
  test.each<[string, Condition["rule"], string, Sample, readonly Issue[] | undefined, boolean]>([
    ["before the first look at the boot", "boot", "reboot", metrics(), undefined, true],
    ["and it is after one", "boot", "reboot", metrics(), [], false],
    ["while its disk cannot be read", "disk", "/data", unread, [], true],
    ["and it is though another disk cannot", "disk", "/", unread, [], false],
    [
      "and it is if its disk can be read",
      "disk",
      "/data",
      withDisk({ path: "/data", availableBytes: 1, totalBytes: 1 }),
      [],
      false,
    ],
    ["and it is if PM2 answers", "pm2-away", "PM2", metrics(), [], false],
    ["and PM2 away says so", "pm2-away", "PM2", hostSample, [], false],
    ["while PM2 does not answer", "crash-loop", "api (0)", hostSample, [], true],
    ["and it is if PM2 answers again", "crash-loop", "api (0)", metrics(), [], false],
    ["while no file says what is declared", "not-online", "api", broken, [], true],
    ["while no file says what differs", "drift", "api", broken, [], true],
    ["and it is though no file says what is declared", "job", "api (0)", broken, [], false],
    ["and it is if the file can be read", "drift", "api", metrics(), [], false],
    ["and it is if the process is gone", "memory-growth", "api (0)", metrics(), [], false],
  ])("%s", (_when, rule, subject, seen, boot, expected) => {
    const condition = { rule, subject, app: subject, kind: rule, details: "" };
    expect(isUndecided(condition, { sample: seen, trend, boot })).toBe(expected);
  });

  test("of memory, until the process was seen for an hour", () => {
    const own = new MemoryTrend();
    const at = (ms: number) => metrics(() => ({ collectedAt: new Date(ms).toISOString() }));
    const isShort = (ms: number): boolean => (own.add(at(ms)), own.isShort("dev-restapi (0)"));
    expect([isShort(0), isShort(HOUR - MINUTE), isShort(HOUR), own.isShort("other (0)")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

test("a reboot that would bring back less is one condition, with the number of its errors", () => {
  const issue = { code: "BOOT_UNIT_MISSING", severity: "error", path: [], message: "no unit" } as unknown as Issue;
  expect([bootConditions(undefined), bootConditions([])]).toEqual([[], []]);
  const sentence = "A reboot would not bring back what runs: no unit.";
  expect(bootConditions([issue])).toEqual([
    { rule: "boot", subject: "reboot", app: "reboot", kind: "boot", details: sentence },
  ]);
  expect(bootConditions([issue, issue])).toMatchObject([{ details: `${sentence} In all, svcm boot has 2 errors.` }]);
});

describe("an app that is not online", () => {
  const found = (more: object, processes: readonly object[]) =>
    findConditions(
      metrics(({ ecosystem, processes: [first] }) => ({
        ecosystem: { ...ecosystem, ...more },
        processes: processes.map((one) => ({ ...first!, ...one })),
      })),
      NONE,
    ).map(({ rule, subject, kind, details }) => [rule, subject, kind, details]);
  const [api, worker] = [
    { name: "api", pmId: 0 },
    { name: "worker", pmId: 1 },
  ];

  test("is said once, with the state of its processes", () => {
    const declared = { missingExpected: ["worker"], fileName: "e.cjs" };
    expect(found(declared, [api])).toEqual([
      ["not-online", "worker", "missing", "worker is declared in e.cjs and does not run: PM2 does not know it."],
    ]);
    const [one, ...others] = found(declared, [
      api,
      { ...worker, state: "errored" },
      { ...worker, pmId: 2, state: "stopped" },
    ]);
    expect([one?.[1], one?.[3], others]).toEqual([
      "worker",
      "worker is declared in e.cjs and does not run: it is errored, stopped.",
      [],
    ]);
    // The loop of one app conceals nothing of another.
    expect(found(declared, [{ ...api, state: "crash loop" }])).toHaveLength(1);
  });

  const entry = { name: "api", pmIds: [0], field: "app", state: "missing", key: null, declared: null, running: null };
  test.each<[string, object, number]>([
    ["a declared instance", {}, 1],
    ["another instance", { pmIds: [1] }, 0],
    ["another app", { name: "worker" }, 0],
    ["a field", { field: "script" }, 0],
    ["an app that is too many", { state: "unexpected" }, 0],
  ])("is each instance that the file declares: drift of %s", (_what, more, count) => {
    const drift = [{ ...entry, ...more }];
    expect(found({ drift }, [{ ...api, state: "stopped" }]).filter(([rule]) => rule === "not-online")).toHaveLength(
      count,
    );
  });

  test("has its reason, if one is known", () => {
    const problem = { code: "PROCESS_NOT_LOADED", details: "It throws." };
    expect(found({}, [{ ...api, state: "not loaded", problem }])).toMatchObject([
      ["not-online", "api (0)", expect.anything(), "api (0) is not loaded. It throws."],
    ]);
  });
});

describe("a disk", () => {
  test.each([
    [100 * GIB, 10 * GIB, 0],
    [100 * GIB, 10 * GIB - 1, 1],
    [10 * GIB, 2 * GIB, 0],
    [10 * GIB, 2 * GIB - 1, 1],
    [1, 0, 1],
    // Some file systems have no size.
    [0, 0, 0],
  ])("of %i bytes is nearly full with %i free: %i", (totalBytes, availableBytes, count) => {
    expect(findConditions(withDisk({ path: "/", totalBytes, availableBytes }), NONE)).toHaveLength(count);
  });

  test("that cannot be read is not full, and one is named with figures, also while PM2 is away", () => {
    expect(findConditions(withDisk({ path: "/", code: "EIO", details: "x" }), NONE)).toEqual([]);
    const disk = [{ path: "/", totalBytes: 40 * GIB, availableBytes: 1.5 * GIB }] as never;
    const host = { ...hostSample.payload.host, disk };
    const away = { ...hostSample, payload: { ...hostSample.payload, host } } as Sample;
    expect(findConditions(away, NONE).map(({ rule, details }) => [rule, details])).toEqual([
      ["pm2-away", expect.any(String)],
      ["disk", "/ has 1.5 GiB free of 40.0 GiB."],
    ]);
  });
});

test("drift is one condition for each app, with at most five of its fields", () => {
  const of = (name: string, key: string) => ({
    name,
    pmIds: [0],
    field: "env",
    state: "different",
    key,
    declared: null,
    running: null,
  });
  const drift = [...["A", "B", "C", "D", "E", "F", "A"].map((key) => of("api", key)), of("jobs", "Z")] as never;
  const found = findConditions(
    metrics(({ ecosystem }) => ({ ecosystem: { ...ecosystem, drift, fileName: "e.cjs" } })),
    NONE,
  );
  expect(found.map(({ details }) => details)).toEqual([
    "api differs from e.cjs: A, B, C, D, E.",
    "jobs differs from e.cjs: Z.",
  ]);
});

describe("memory", () => {
  const growth = new Map([["api (0)", { bytesPerHour: 30 * MIB, hoursLeft: 1.2 }]]);
  test("that grows is named by its rate and the time that is left", () => {
    expect(findConditions(metrics(), growth)).toEqual([
      {
        rule: "memory-growth",
        subject: "api (0)",
        app: "api",
        kind: "memory-growth",
        details: "The memory of api (0) grows by 30 MiB an hour. The machine has no memory left in 1 hour.",
      },
    ]);
  });

  const line = (bytesPerHour: number): { atMs: number; bytes: number }[] =>
    [0, 1, 2].map((at) => ({ atMs: at * HOUR, bytes: at * bytesPerHour }));
  test("is left for a day, or not", () => {
    expect(measureGrowth(line(MIB), 24 * MIB - 1)?.hoursLeft).toBeCloseTo(24);
    expect(measureGrowth(line(MIB), 24 * MIB + 1)).toBeUndefined();
  });
  test("that no growth uses up is not reported, however little is left", () => {
    expect(measureGrowth(line(0), 0)).toBeUndefined();
    expect(measureGrowth(line(-MIB), -1)).toBeUndefined();
  });

  const trendAfter = (
    steps: readonly (readonly [atMs: number, bytes: number | null])[],
    availableBytes: number | null = MIB,
  ) => {
    const trend = new MemoryTrend();
    let last: ReadonlyMap<string, unknown> = new Map();
    for (const [atMs, memoryBytes] of steps)
      last = trend.add(
        metrics(({ host, processes: [first] }) => ({
          collectedAt: new Date(atMs).toISOString(),
          host: { ...host, memory: { ...host.memory, availableBytes } },
          processes: [{ ...first!, memoryBytes }],
        })),
      );
    return [...last.keys()];
  };
  const own = ["dev-restapi (0)"];
  test.each<[string, readonly (readonly [number, number | null])[], number | null, readonly string[]]>([
    [
      "grows",
      [
        [0, 0],
        [HOUR, MIB],
      ],
      MIB,
      own,
    ],
    [
      "grows, and the machine does not say what is left",
      [
        [0, 0],
        [HOUR, MIB],
      ],
      null,
      [],
    ],
    [
      "is not known for a while",
      [
        [0, 0],
        [MINUTE, null],
        [HOUR, MIB],
      ],
      MIB,
      own,
    ],
    [
      "leaps within a minute, which is not looked at",
      [
        [0, 0],
        [MINUTE - 1, 50 * MIB],
        [HOUR, MIB],
      ],
      MIB,
      own,
    ],
    [
      "leaps after a minute",
      [
        [0, 0],
        [MINUTE, 50 * MIB],
        [HOUR, MIB],
      ],
      MIB,
      [],
    ],
    [
      "begins anew after the clock was set back",
      [
        [5 * HOUR, 9 * MIB],
        [0, 0],
        [HOUR, MIB],
      ],
      MIB,
      own,
    ],
    [
      "counts on at the same time",
      [
        [0, 0],
        [HOUR, MIB],
        [HOUR, 90 * MIB],
      ],
      MIB,
      own,
    ],
  ])("%s", (_how, steps, availableBytes, expected) => {
    expect(trendAfter(steps, availableBytes)).toEqual(expected);
  });
});
