/** One action on one process of PM2: what is asked of PM2, how often, and what is said if it does not succeed. */
import { describe, expect, test } from "vitest";
import type { ProcessAction } from "../../../../src/core/api/names.ts";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { actOn, createProcessAct } from "../../../../src/core/rollout/control/act-on.ts";
import type { ActionContext } from "../../../../src/core/rollout/control/action.ts";
import { playPm2, refusal, running, STOPPED, type Play } from "./played-pm2.ts";

async function act(action: ProcessAction, target: ProcessRecord, play: Play = {}, more: Partial<ActionContext> = {}) {
  const pm2 = playPm2([target, running(5, { name: "other" })], play);
  let begun = 0;
  const context = { ports: pm2.ports, action, begin: async () => void (begun += 1), timeoutMs: 5000, ...more };
  const answer = await actOn(context, target).catch((error: unknown) => error);
  const body = answer instanceof SvcmError ? answer.body : undefined;
  return { answer, code: body?.code, details: body?.details, calls: pm2.calls, begun, waitedMs: pm2.waitedMs() };
}
const skipped = (reason: string) => ({ affected: [], skipped: [expect.objectContaining({ pmId: 0, reason })] });

test.each<[ProcessAction, string]>([
  ["restart", "restart 0"],
  ["reload", "reload 0"],
  ["stop", "stop 0"],
  ["delete", "delete 0"],
])("a %s is one request, which is recorded before it", async (action, call) => {
  const { answer, calls, begun } = await act(action, running(0));
  expect([calls, begun]).toEqual([[call], 1]);
  expect(answer).toEqual({ affected: [expect.objectContaining({ pmId: 0, name: "api" })], skipped: [] });
});

test("a start of a stopped process is one", async () => {
  expect((await act("start", running(0, STOPPED))).calls).toEqual(["start 0"]);
});

test.each<[ProcessAction, ProcessRecord, string]>([
  ["start", running(0), "ALREADY_RUNNING"],
  ["start", running(0, { status: "launching" }), "ALREADY_RUNNING"],
  ["stop", running(0, STOPPED), "ALREADY_STOPPED"],
])("a %s that has nothing to do asks nothing of PM2", async (action, target, reason) => {
  const { answer, calls, begun } = await act(action, target);
  expect([answer, calls, begun]).toEqual([skipped(reason), [], 0]);
});

describe("a process that changed since it was named", () => {
  const other: Play = { look: (list) => list.map((one) => (one.pmId === 0 ? { ...one, uniqueId: "new" } : one)) };
  test("is not acted on", async () => {
    const { code, calls, details } = await act("restart", running(0), other);
    expect([code, calls]).toEqual(["PROCESS_CHANGED", []]);
    expect(details).toBe('PM2\'s number 0 is no longer the process "api".');
  });
  test("counts as deleted, if it was to be", async () => {
    expect((await act("delete", running(0), { look: () => [] })).answer).toEqual(skipped("ALREADY_DELETED"));
  });
  test("without a unique id is known by its name", async () => {
    expect((await act("restart", running(0, { uniqueId: null }))).calls).toEqual(["restart 0"]);
    const renamed: Play = { look: (list) => list.map((one) => ({ ...one, name: "new" })) };
    expect((await act("restart", running(0, { uniqueId: null }), renamed)).code).toBe("PROCESS_CHANGED");
    expect((await act("restart", running(0), renamed)).calls).toEqual(["restart 0"]);
  });
});

describe("files that PM2 would not find", () => {
  test.each<[ProcessAction, string, string | undefined]>([
    ["restart", "/srv", "PROCESS_FOLDER_MISSING"],
    ["reload", "/srv/api.js", "ECOSYSTEM_SCRIPT_MISSING"],
    ["stop", "/srv", undefined],
    ["restart", "/elsewhere", undefined],
  ])("before a %s without %s: %s", async (action, missing, code) => {
    const { calls, code: found } = await act(action, running(0), { missing: [missing] });
    expect(found).toBe(code);
    expect(calls).toHaveLength(code === undefined ? 1 : 0);
  });
  test("are not those of the next run", async () => {
    const { calls } = await act("restart", running(0), { missing: ["/srv"] }, { nextRun: () => ({}) as never });
    expect(calls).toEqual(["restart 0"]);
  });
});

describe("a refusal of PM2", () => {
  test("is tried again, five times", async () => {
    const play = (times: number): Play => ({
      on: (_, nowMs) => (times-- > 0 && nowMs > 0 ? refusal("PM2_ACTION_FAILED") : undefined),
    });
    expect((await act("restart", running(0), play(4))).calls).toHaveLength(5);
    const { code, calls, details } = await act("restart", running(0), play(5));
    expect([code, calls.length]).toEqual(["PM2_ACTION_FAILED", 5]);
    expect(details).toBe(
      'PM2 refused the restart of "api" 5 times, last with: PM2 refuses.. Its list shows it as online.',
    );
  });
  test("because it restarted the process itself is a start, unless another definition is wanted", async () => {
    const play = (): Play => {
      let count = 0;
      return {
        on: () => (count++ === 0 ? refusal("PM2_ACTION_FAILED") : undefined),
        look: (list) => list.map((one) => (one.pmId === 0 && count === 1 ? { ...one, pid: 9, startedAt: 9 } : one)),
      };
    };
    expect((await act("restart", running(0), play())).calls).toEqual(["restart 0"]);
    expect((await act("restart", running(0), play(), { nextRun: () => ({}) as never })).calls).toEqual([
      "restart 0",
      "restart 0",
    ]);
  });
  test("of another kind is final", async () => {
    const { calls, code } = await act("restart", running(0), { on: () => refusal("PM2_TIMEOUT") });
    expect([calls, code]).toEqual([["restart 0"], "PM2_TIMEOUT"]);
  });
});

describe("a stop or a delete that PM2 undoes", () => {
  test.each(["stop", "delete"] as const)("is requested again: %s", async (action) => {
    let count = 0;
    const again = { status: "online", pid: 77, startedAt: 5 };
    const { calls, answer } = await act(action, running(0), { on: () => (count++ === 0 ? again : undefined) });
    expect(calls).toEqual([`${action} 0`, `${action} 0`]);
    expect(answer).toMatchObject({ affected: [{ pmId: 0 }] });
  });
  test("each time is reported after five", async () => {
    let pid = 77;
    const { calls, code } = await act("stop", running(0), { on: () => ({ status: "online", pid: (pid += 1) }) });
    expect([calls.length, code]).toEqual([5, "STOP_VERIFY_FAILED"]);
  });
  test("is given time only if the process was unstable", async () => {
    expect((await act("stop", running(0))).waitedMs).toBe(0);
    expect((await act("stop", running(0, { unstableRestarts: 1 }))).waitedMs).toBeGreaterThan(0);
  });
});

describe("a process that PM2 forgot", () => {
  test("while another command acted on it is named with its pid", async () => {
    let isDeleted = false;
    const play: Play = { on: () => void (isDeleted = true), unlisted: () => (isDeleted ? [9, 44] : [9]) };
    const { code, details, waitedMs } = await act("delete", running(0), play, { timeoutMs: 1 });
    expect(code).toBe("PROCESS_UNLISTED");
    expect(details).toContain('PM2 no longer lists "api" (id 0), but a process that it started still runs: pid 44.');
    expect(waitedMs).toBeGreaterThanOrEqual(3000);
  });
  test("and that ends within three seconds is not named", async () => {
    let endMs = 0;
    const play: Play = {
      on: (_, nowMs) => void (endMs = nowMs + 2500),
      unlisted: (nowMs) => (endMs > nowMs ? [44] : []),
    };
    expect((await act("delete", running(0), play)).answer).toMatchObject({ affected: [{ pmId: 0 }] });
  });
});

describe("a start that fails", () => {
  const errored = { status: "errored", pid: null, startedAt: null, restartCount: 1 };
  const holder = { port: 3000, address: "::", pid: 7, program: "node", ancestors: [], origin: null };
  test.each<[string, Partial<ProcessRecord>, string]>([
    [
      "names the holder of its port",
      { listenPorts: [3000] },
      "its status is errored. Port 3000 is taken by node, pid 7.",
    ],
    ["names none for another port", { listenPorts: [3001] }, "its status is errored."],
    ["names none in cluster mode", { listenPorts: [3000], execMode: "cluster" }, "its status is errored."],
    ["names none that holds it itself", { listenPorts: [3000], pid: 7 }, "its status is errored."],
  ])("%s", async (_what, more, end) => {
    const play: Play = {
      on: () => ({ ...errored, ...(more.pid === undefined ? {} : { pid: more.pid }) }),
      listeners: [holder],
    };
    const { details } = await act("restart", running(0, more), play);
    expect(details?.endsWith(end)).toBe(true);
  });

  test.each([
    [["/usr/bin/node"], "It needs /usr/bin/node, which does not exist"],
    [[], "The end of pm2.log in PM2_HOME has the reason"],
  ])("without a process, because of %j", async (missing, text) => {
    const target = running(0, { interpreter: "/usr/bin/node" });
    const play: Play = { on: () => ({ pid: null, startedAt: 9 }), missing };
    expect((await act("restart", target, play)).details).toContain(text);
  });
});

test("the gate looks at what was started, and a failed gate fails the action", async () => {
  const seen: unknown[] = [];
  const checkHealth = async (affected: readonly { pid: number | null }[]): Promise<void> =>
    void seen.push(affected.map(({ pid }) => pid));
  await act("restart", running(0), {}, { checkHealth });
  expect(seen).toEqual([[1001]]);
  const failed = refusal("PM2_TIMEOUT");
  expect((await act("restart", running(0), {}, { checkHealth: () => Promise.reject(failed) })).answer).toBe(failed);
});

test("instances of one app are restarted one after another, and stopped side by side", () => {
  const context = (action: ProcessAction) => ({ action }) as ActionContext;
  const target = running(0, { namespace: "shop" });
  for (const action of ["restart", "reload"] as const)
    expect(createProcessAct(context(action), target).app).toBe("shop api");
  for (const action of ["start", "stop", "delete"] as const)
    expect(createProcessAct(context(action), target)).not.toHaveProperty("app");
});

describe("an app that PM2 is launching", () => {
  const launching = { status: "launching" } as const;
  test("is waited for", async () => {
    const play: Play = {
      look: (list, nowMs) => list.map((one) => ({ ...one, ...(nowMs < 11_000 && one.pmId === 0 ? launching : {}) })),
    };
    const { calls, waitedMs } = await act("stop", running(0), play);
    expect(calls).toEqual(["stop 0"]);
    expect(waitedMs).toBe(1000);
  });
  test("without end is refused, with what would help", async () => {
    const { code, details, calls, begun } = await act("stop", running(0, launching));
    expect([code, calls, begun]).toEqual(["APP_NEVER_SETTLES", [], 0]);
    expect(details).toContain('PM2 was still launching "api" (id 0) after 5 s.');
  });
  test("again and again is suspended, so that PM2 gives up, and is resumed afterwards", async () => {
    const play: Play = {
      look: (list, nowMs) =>
        list.map((one) =>
          one.pmId === 0 && nowMs < 13_000
            ? { ...one, ...launching, pid: 50, restartCount: nowMs > 10_000 ? 9 : 0 }
            : one,
        ),
    };
    expect((await act("stop", running(0), play)).calls).toEqual(["suspend 50", "stop 0", "resume 50"]);
  });
});
