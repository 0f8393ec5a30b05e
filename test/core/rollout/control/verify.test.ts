/** The verdict on an action, from what PM2 lists before and after it. */
import { describe, expect, test } from "vitest";
import type { ProcessAction } from "../../../../src/core/api/names.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import {
  findEndDuringReload,
  isAlreadyDone,
  isBetweenRuns,
  isRestarted,
  isRunning,
  isUp,
  judge,
  OnlineRuns,
  verify,
  type PreviousRun,
  type Verdict,
} from "../../../../src/core/rollout/control/verify.ts";
import { record } from "../../../support/process-record.ts";

type Fields = Partial<ProcessRecord>;
const up = (more: Fields = {}): ProcessRecord =>
  record({ status: "online", pid: 7, startedAt: 100, lastStartAt: 100, restartCount: 3, ...more });
const next = (more: Fields = {}): ProcessRecord =>
  up({ pid: 8, startedAt: 200, lastStartAt: 200, restartCount: 4, ...more });
const stopped = (more: Fields = {}): ProcessRecord => up({ status: "stopped", pid: null, startedAt: null, ...more });
const { declaration } = record();
const of = (settings: object): Fields => ({ declaration: { ...declaration, settings: settings } });
const task = of({ autorestart: false });
const AGAIN = { failed: "PM2 itself started it again meanwhile" };
const ended = (times: string, more = ""): Verdict => ({
  failed: `it ended right after its start, ${times} so far${more}`,
});

describe("after a", () => {
  test.each<[ProcessAction, PreviousRun, ProcessRecord | undefined, number, Verdict]>([
    ["delete", up(), undefined, 0, "done"],
    ["delete", up(), up(), 0, AGAIN],
    ["stop", up(), undefined, 0, { failed: "PM2 no longer lists it" }],
    ["stop", up(), stopped(), 0, "done"],
    ["stop", up(), stopped({ pid: 7 }), 0, "pending"],
    ["stop", up(), up({ status: "stopping" }), 0, "pending"],
    ["stop", up(), up({ status: "errored" }), 0, { failed: "PM2 could not end it: its status is errored" }],
    ["stop", up(), next(), 0, AGAIN],
    ["stop", up(), next({ status: "launching" }), 0, AGAIN],
    ["stop", up(), up(), 0, "pending"],
    ["restart", up(), undefined, 0, { failed: "PM2 no longer lists it" }],
    ["restart", up(), up({ pid: null }), 299, "pending"],
    [
      "restart",
      up(),
      up({ pid: null }),
      300,
      { failed: "it does not run: PM2 shows it as online, but could not start its process" },
    ],
    ["restart", up(), next(), 1000, "done"],
    ["restart", up(), next(), 999, "pending"],
    // The former run is not the new one.
    ["restart", up(), up(), 1000, "pending"],
    ["restart", up(), up({ startedAt: 200 }), 1000, "done"],
    ["restart", up(), next({ status: "launching" }), 1000, "pending"],
    ["restart", up(), next({ startedAt: null }), 1000, "pending"],
    ["restart", up(), next({ status: "stopped", pid: 8 }), 1000, "pending"],
    ["restart", up(), stopped({ restartCount: 4 }), 1000, { failed: "its status is stopped" }],
    [
      "restart",
      up(),
      stopped({ status: "errored", restartCount: 4, exitCode: 2 }),
      0,
      { failed: "its status is errored, last with exit code 2" },
    ],
    [
      "restart",
      up(),
      stopped({ status: "waiting restart", restartCount: 4 }),
      0,
      { failed: "its status is waiting restart" },
    ],
    ["restart", up(), next({ restartCount: 5, unstableRestarts: 1 }), 1000, ended("once")],
    [
      "restart",
      up(),
      next({ restartCount: 6, unstableRestarts: 2, exitCode: 1 }),
      1000,
      ended("2 times", ", last with exit code 1"),
    ],
    // Other programs may request restarts, too, and PM2 counts those.
    ["restart", up(), next({ restartCount: 6 }), 1000, "done"],
    ["restart", up(), next({ restartCount: 7 }), 1000, ended("3 times")],
    ["restart", stopped(), next({ restartCount: 4, unstableRestarts: 1 }), 1000, ended("once")],
    ["start", stopped(), next({ restartCount: 3 }), 1000, "done"],
    ["start", up(), up(), 1000, "done"],
    ["start", up(), up({ restartCount: 4, unstableRestarts: 1 }), 1000, ended("once")],
    // A task that is meant to end may have ended already; an older run of it does not count.
    ["start", stopped(), stopped({ ...task, lastStartAt: 200 }), 0, "done"],
    ["start", stopped(), stopped(task), 0, { failed: "its status is stopped" }],
    [
      "start",
      stopped(),
      stopped({ ...task, lastStartAt: 200, exitCode: 1 }),
      0,
      { failed: "its status is stopped, last with exit code 1" },
    ],
    [
      "start",
      { ...stopped(), lastStartAt: null },
      stopped({ ...task, lastStartAt: null }),
      0,
      { failed: "its status is stopped" },
    ],
  ])("%s of %o, %o for %i ms is %j", (action, before, after, onlineMs, verdict) => {
    expect(judge(action, before, after, onlineMs)).toEqual(verdict);
  });

  test("start whose gate looks itself, online is enough", () => {
    expect(judge("start", stopped(), next(), 0, 0)).toBe("done");
  });
});

test("a reload fails with the first end of its new run", () => {
  expect(findEndDuringReload(up(), next())).toBeUndefined();
  expect(findEndDuringReload(up(), next({ restartCount: 5, unstableRestarts: 1 }))).toMatch(
    /^it ended right after its start, once/,
  );
});

test.each<[Fields, Record<string, boolean>]>([
  [{}, { isRunning: true, isUp: true, isBetween: false, isRestarted: false }],
  [{ pid: 8 }, { isRunning: true, isUp: true, isBetween: false, isRestarted: true }],
  [
    { status: "launching", pid: 8 },
    { isRunning: true, isUp: false, isBetween: false, isRestarted: true },
  ],
  [{ pid: null }, { isRunning: true, isUp: false, isBetween: false, isRestarted: true }],
  [{ startedAt: null }, { isRunning: true, isUp: false, isBetween: false, isRestarted: false }],
  [{ status: "stopped" }, { isRunning: false, isUp: false, isBetween: true, isRestarted: false }],
  [
    { status: "stopped", pid: null },
    { isRunning: false, isUp: false, isBetween: false, isRestarted: false },
  ],
])("a process with %j", (more, expected) => {
  const now = up(more);
  const found = {
    isRunning: isRunning(now),
    isUp: isUp(now),
    isBetween: isBetweenRuns(now),
    isRestarted: isRestarted(up(), now),
  };
  expect(found).toEqual(expected);
});

test.each<[ProcessAction, ProcessRecord, boolean]>([
  ["restart", next(), true],
  ["reload", up({ startedAt: 200 }), true],
  ["start", up(), false],
  ["restart", stopped(), false],
  ["stop", next(), false],
  ["delete", next(), false],
])("a %s that PM2 refused is done already if it shows another run", (action, now, expected) => {
  expect(isAlreadyDone(action, up(), now)).toBe(expected);
});

test("a run counts as online from the look that saw it first, and another run begins again", () => {
  const runs = new OnlineRuns();
  expect([runs.onlineMs(up(), 100), runs.onlineMs(up(), 250), runs.onlineMs(up({ pmId: 1 }), 300)]).toEqual([
    0, 150, 0,
  ]);
  for (const other of [next(), up({ restartCount: 9 }), up({ status: "launching" }), up({ startedAt: 9 })])
    expect(runs.onlineMs(other, 400)).toBe(0);
});

test("the time in which a process waits for a processor is not online, up to a limit", () => {
  let queuedMs = 700;
  const runs = new OnlineRuns(() => queuedMs);
  expect(runs.onlineMs(up(), 0)).toBe(0);
  queuedMs = 1500;
  expect(runs.onlineMs(up(), 1000)).toBe(200);
  expect(runs.onlineMs(up(), 1800)).toBe(1000);
  queuedMs = 60_700;
  expect(runs.onlineMs(up(), 60_000)).toBe(56_000);
  // Its number belongs to another process here.
  expect(runs.onlineMs(up({ pmId: 1, isElsewhere: true }), 0)).toBe(0);
  queuedMs += 500;
  expect(runs.onlineMs(up({ pmId: 1, isElsewhere: true }), 1000)).toBe(1000);
});

describe("the wait for an action", () => {
  const wait = async (verdicts: readonly Verdict[], timeoutMs?: number, processes = [up()]) => {
    let nowMs = 5000;
    let looks = 0;
    const ports = {
      clock: { elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
      processes: { list: async () => processes },
    };
    const options = { action: "restart", name: "a b", ...(timeoutMs !== undefined && { timeoutMs }) } as const;
    const answer = await verify(ports as never, options, (list) => {
      looks += 1;
      return { processes: list, verdict: verdicts[Math.min(looks, verdicts.length) - 1] ?? "pending" };
    }).catch((error: unknown) => error);
    return { answer, looks, waitedMs: nowMs - 5000 };
  };

  test("ends with the processes that it saw", async () => {
    expect(await wait(["pending", "pending", "done"])).toEqual({ answer: [up()], looks: 3, waitedMs: 200 });
  });

  test("ends at once with a reason, and the command that says more", async () => {
    const { answer, looks } = await wait(["pending", { failed: "it ended" }]);
    expect(looks).toBe(2);
    expect(answer).toMatchObject({
      kind: "PROCESS_ACTION_FAILED",
      body: {
        code: "RESTART_VERIFY_FAILED",
        details: 'PM2 accepted the restart of "a b", but it ended.',
        hint: "Read why: svcm why 'a b'",
      },
    });
  });

  test.each([
    [1000, [up(), stopped()], 1000, "PM2 still shows it as online, stopped after 1 s"],
    [undefined, [], 20_000, "PM2 still shows it as not listed after 20 s"],
  ])("ends after %j ms", async (timeoutMs, processes, waitedMs, reason) => {
    const { answer, waitedMs: waited } = await wait(["pending"], timeoutMs, processes);
    expect(waited).toBe(waitedMs);
    expect(answer).toMatchObject({ body: { details: expect.stringContaining(reason) } });
  });
});
