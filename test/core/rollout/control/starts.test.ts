/** Starts by the ecosystem file and by a number of instances. */
import { describe, expect, test } from "vitest";
import type { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { scaleDown, scaleUp } from "../../../../src/core/rollout/control/scale.ts";
import {
  isJob,
  registerDeclared,
  separateJobs,
  startDeclared,
  waitUntilAtRest,
} from "../../../../src/core/rollout/control/start-declared.ts";
import { record } from "../../../support/process-record.ts";
import { playPm2, refusal, running, STOPPED, type Play } from "./played-pm2.ts";

const { declaration } = record();
const settings = (of: object): Partial<ProcessRecord> => ({ declaration: { ...declaration, settings: of } });
const job = settings({ autorestart: false, cronRestart: "x" });
const task = settings({ autorestart: false });
const JOB_APP = { autorestart: false, cron_restart: "0 3 * * *" };
const errored = { status: "errored", pid: null, startedAt: null } as const;

async function start(apps: readonly object[], first: readonly ProcessRecord[], play: Play = {}) {
  const pm2 = playPm2(first, play);
  let begun = 0;
  const context = { ports: pm2.ports, action: "start", begin: async () => void (begun += 1), timeoutMs: 2000 } as const;
  const declared = { name: "api", apps, folder: "/srv" } as never;
  const answer = await startDeclared(context, declared).catch((error: unknown) => error);
  return { answer, calls: pm2.calls, begun };
}

describe("a start by the file", () => {
  test("of an app that PM2 does not know waits for each of its processes", async () => {
    const { answer, calls, begun } = await start([{}, {}], [running(4, { name: "other" })]);
    expect([calls, begun]).toEqual([["start app api"], 1]);
    expect(answer).toMatchObject({ affected: [{ pmId: 5 }, { pmId: 6 }], skipped: [] });
  });

  test("of one that PM2 knows starts what is stopped, as it is", async () => {
    const { answer, calls, begun } = await start([{}], [running(0), running(1, STOPPED)]);
    expect([calls, begun]).toEqual([["start 1"], 1]);
    expect(answer).toMatchObject({ affected: [{ pmId: 1 }], skipped: [{ pmId: 0, reason: "ALREADY_RUNNING" }] });
  });

  test("that another command has begun meanwhile is one start", async () => {
    const pm2 = playPm2([], {
      on: (call) => (call === "start app api" ? (pm2.add("api", {}), refusal("APP_ALREADY_KNOWN")) : undefined),
    });
    const context = { ports: pm2.ports, action: "start", begin: async () => undefined } as const;
    const answer = await startDeclared(context, { name: "api", apps: [{}], folder: "/" } as never);
    expect([pm2.calls, answer.skipped.map(({ reason }) => reason)]).toEqual([["start app api"], ["ALREADY_RUNNING"]]);
  });

  test("that PM2 refuses is an error", async () => {
    expect((await start([{}], [], { on: () => refusal("PM2_TIMEOUT") })).answer).toMatchObject({
      body: { code: "PM2_TIMEOUT" },
    });
  });

  test.each<[string, Play, string]>([
    ["registers nothing", { look: () => [] }, "it registered no process"],
    [
      "registers one that ends",
      { look: (list) => list.map((one, at) => (at === 0 ? one : { ...one, ...errored })) },
      "its status is errored",
    ],
    [
      "registers one that is launched for ever",
      { look: (list) => list.map((one, at) => (at === 0 ? one : { ...one, status: "launching" })) },
      "PM2 still shows it as online, launching",
    ],
  ])("that %s has failed", async (_what, play, reason) => {
    const { answer } = await start([{}, {}], [], play);
    expect((answer as SvcmError).body).toMatchObject({
      code: "START_VERIFY_FAILED",
      details: expect.stringContaining(reason),
    });
  });
});

describe("a job", () => {
  test("is only registered by a start, and its schedule starts it", async () => {
    const { answer, calls } = await start([JOB_APP], []);
    expect(calls).toEqual(["register api"]);
    expect(answer).toMatchObject({ affected: [], skipped: [{ name: "api", reason: "JOB_WAITS" }] });
  });

  test.each<[string, Partial<ProcessRecord>, string[]]>([
    ["a job that waits", { ...job, ...STOPPED }, []],
    ["a task that has ended", { ...task, ...STOPPED, lastStartAt: 1 }, []],
    ["a task that has never run", { ...task, ...STOPPED, lastStartAt: null }, ["start 0"]],
    ["a task that has failed", { ...task, ...STOPPED, exitCode: 1 }, ["start 0"]],
    ["a service", STOPPED, ["start 0"]],
  ])("that PM2 knows is left alone: %s", async (_what, more, calls) => {
    expect((await start([{}], [running(0, more)])).calls).toEqual(calls);
  });

  test.each<[readonly object[], boolean]>([
    [[JOB_APP], true],
    [[{}, { autorestart: "false", cron_restart: "x" }], true],
    [[{ autorestart: false }], false],
    [[{ cron_restart: "x" }], false],
    [[{ autorestart: true, cron_restart: "x" }], false],
    [[], false],
  ])("is an app that ends and has a schedule: %j is %s", (apps, expected) => {
    expect(isJob({ apps } as never)).toBe(expected);
  });

  test("is registered once", async () => {
    const pm2 = playPm2([running(0, { ...job, ...STOPPED })]);
    expect(await registerDeclared(pm2.ports, { name: "api", apps: [], folder: "/" } as never)).toHaveLength(1);
    expect(pm2.calls).toEqual([]);
    const lost = playPm2([], { on: () => null });
    await expect(registerDeclared(lost.ports, { name: "api", apps: [], folder: "/" } as never)).rejects.toMatchObject({
      kind: "PROCESS_ACTION_FAILED",
      body: { code: "START_VERIFY_FAILED", details: 'PM2 accepted the definition of "api", but does not list it.' },
    });
  });

  test("that runs is waited for, and not ended", async () => {
    const until = (endMs: number): Play => ({
      look: (list, nowMs) => list.map((one) => (nowMs >= endMs ? { ...one, ...STOPPED } : one)),
    });
    const short = playPm2([running(0, job), running(1)], until(10_500));
    await waitUntilAtRest(short.ports, [running(0)], 1000);
    expect(short.waitedMs()).toBe(500);
    const long = playPm2([running(0, { ...job, startedAt: 0 })], {});
    await expect(waitUntilAtRest(long.ports, [running(0)], 1000)).rejects.toMatchObject({
      kind: "PROCESS_ACTION_REFUSED",
      body: {
        code: "JOB_RUNNING",
        details: "api (id 0) runs since 1970-01-01T00:00:00.000Z, and svcm does not end its run.",
        hint: expect.stringContaining("svcm stop api"),
      },
    });
    expect(long.waitedMs()).toBe(1000);
    await waitUntilAtRest(long.ports, [], 1000);
  });

  test("is neither run out of turn nor ended by an action on many apps", () => {
    const all = [
      running(0),
      running(1, { ...job, ...STOPPED }),
      running(2, job),
      running(3, { ...task, ...STOPPED, exitCode: 1 }),
    ];
    const { services, left } = separateJobs("restart", all);
    expect(services.map(({ pmId }) => pmId)).toEqual([0, 3]);
    expect(left.map(({ pmId, reason }) => `${pmId} ${reason}`)).toEqual(["1 JOB_WAITS", "2 ALREADY_RUNNING"]);
    for (const action of ["stop", "delete"] as const)
      expect(separateJobs(action, all)).toEqual({ services: all, left: [] });
  });
});

describe("the number of instances", () => {
  const scale = async (direction: "up" | "down", first: readonly ProcessRecord[], count: number, play: Play = {}) => {
    const pm2 = playPm2(first, play);
    const progress: string[] = [];
    const report = ({ done, total }: { done: number; total: number }): void => void progress.push(`${done}/${total}`);
    const context = { ports: pm2.ports, begin: async () => undefined, timeoutMs: 2000, report } as never;
    const siblings = first.filter(({ name }) => name === "api");
    const act = direction === "up" ? scaleUp : scaleDown;
    const answer = await act(context, siblings, count).catch((error: unknown) => error);
    return { answer, calls: pm2.calls, progress };
  };

  test("grows by copies of one that runs", async () => {
    const { answer, calls, progress } = await scale(
      "up",
      [running(0, STOPPED), running(1), running(2, { name: "other" })],
      2,
    );
    expect(calls).toEqual(["duplicate 1", "duplicate 1"]);
    expect(progress).toEqual(["1/2", "2/2"]);
    expect(answer).toMatchObject([{ pmId: 3 }, { pmId: 4 }]);
    expect((await scale("up", [running(0, STOPPED)], 1)).calls).toEqual(["duplicate 0"]);
    expect(await scale("up", [], 1)).toMatchObject({ answer: [], calls: [] });
  });

  test("does not grow by a copy that fails, which is deleted", async () => {
    const play: Play = { look: (list) => list.map((one) => (one.pmId === 1 ? { ...one, ...errored } : one)) };
    const { answer, calls } = await scale("up", [running(0)], 2, play);
    expect(calls).toEqual(["duplicate 0", "delete 1"]);
    expect(answer).toMatchObject({ body: { code: "START_VERIFY_FAILED" } });
    const none = await scale("up", [running(0)], 1, { on: () => null });
    expect(none.answer).toMatchObject({ body: { details: expect.stringContaining("it registered no process") } });
  });

  test("shrinks by those that do not serve first, and then by the newest", async () => {
    const all = [running(0), running(1, STOPPED), running(2), running(3)];
    const { answer, calls, progress } = await scale("down", all, 3);
    expect(calls).toEqual(["delete 1", "delete 3", "delete 2"]);
    expect(progress).toEqual(["1/3", "2/3", "3/3"]);
    expect((answer as { pmId: number }[]).map(({ pmId }) => pmId)).toEqual([1, 2, 3]);
  });
});
