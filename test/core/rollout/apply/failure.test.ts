/** An apply that does not end as planned: what svcm puts back, what it keeps, and what the user can do next. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { stateAfterRevert } from "../../../../src/core/rollout/apply/run-steps.ts";
import { playPm2, running, STOPPED } from "../control/played-pm2.ts";
import { api, failTimes, playApplied, WORKER } from "../played-rollout.ts";

const BEFORE = [api("1"), WORKER];
const AFTER = [api("2"), { ...WORKER, args: "x" }];
const WHY = 'worker: PM2 accepted the restart of "worker", but its status is errored.';
const FAILED = ["restart 0", "restart 1"];
const outcome = (world: Awaited<ReturnType<typeof playApplied>>) =>
  world.journals[0]?.findLast((event) => event.event === "end");
const returns = (world: Awaited<ReturnType<typeof playApplied>>) =>
  world.journals[0]?.flatMap((event) => (event.event === "return" ? [event.app] : []));

describe("a step that fails", () => {
  test("is undone with the steps before it, last one first", async () => {
    const world = await playApplied(BEFORE, AFTER, ["restart 1"]);
    world.more.logs = ["Error: no such table"];
    const { kind, error, calls } = await world.apply();
    expect([kind, calls]).toEqual(["APPLY_REVERTED", [...FAILED, "restart 1", "restart 0"]]);
    expect(error?.details?.split("\n")).toEqual([
      expect.stringContaining(`${WHY} Every touched app has its former definition again.`),
      "It wrote: Error: no such table",
    ]);
    expect(error?.code).toBe("RESTART_VERIFY_FAILED");
    const [first, second] = world.pm2.list();
    const left = { api: { readBy: [first?.pid] }, worker: { readBy: [second?.pid] } };
    expect(outcome(world)).toMatchObject({ outcome: "reverted", code: "RESTART_VERIFY_FAILED", left: { apps: left } });
    expect(world.left()["api"]).not.toHaveProperty("pinnedBy");
    expect(world.journals[0]).toContainEqual(expect.objectContaining({ step: 1, phase: "failed" }));
    expect(returns(world)).toEqual(["worker", "api"]);
    expect(world.audits.at(-1)).toMatchObject({ action: "plan.apply", outcome: "failed" });
  });

  test.each<[string, boolean | undefined, readonly string[], readonly string[], string]>([
    [
      "if a revert is switched off",
      false,
      ["restart 1"],
      [],
      "svcm left it as it is, because a revert is switched off.",
    ],
    [
      "if it cannot be undone",
      undefined,
      ["restart 1", "restart 1"],
      ["restart 1", "restart 0"],
      `svcm could not restore everything. ${WHY}`,
    ],
  ])("leaves the apply half done %s", async (_when, revert, failing, calls, what) => {
    const world = await playApplied(BEFORE, AFTER, failing);
    const { kind, error, calls: made } = await world.apply(revert === undefined ? {} : { revert });
    expect([kind, made]).toEqual(["APPLY_HALF", [...FAILED, ...calls]]);
    expect(error?.details).toBe(`${WHY} ${what} Some apps may run as before, and others as declared.`);
    const hint = `Read why: svcm why worker. To go back: svcm rollback ${world.head()?.id}`;
    expect(error).toMatchObject({ hint });
    expect(outcome(world)).toMatchObject({ outcome: "half", code: "RESTART_VERIFY_FAILED" });
  });

  test("of which PM2 changed nothing leaves everything as it is known", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const before = world.left();
    world.play.on = () => new SvcmError("PM2_FAILED", { details: "no answer" });
    const { kind, error, calls } = await world.apply();
    expect([kind, error?.code, calls]).toEqual(["APPLY_REVERTED", "PM2_FAILED", ["restart 0"]]);
    expect(error?.failure?.reason).toBe("api: no answer");
    expect([returns(world), world.left()]).toEqual([["api"], before]);
  });

  test("of an app that is not healthy names the app once", async () => {
    const restapi = (args: string) => ({ name: "restapi", args, env: { SVC_HTTP_PORT: "3000" } });
    const world = await playApplied([restapi("x")], [restapi("y")]);
    const sick = { state: "unhealthy", code: "HEALTH_STATUS", details: "503", pid: null } as const;
    const healthy = { state: "healthy", pid: null } as const;
    const check = async () => (world.pm2.calls.length === 1 ? sick : healthy);
    Object.assign(world.ports, { health: { check } });
    expect((await world.apply()).error?.failure?.reason).toBe("restapi (id 0) is not healthy. 503");
  });

  test("if it is that of saving, is undone, too", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const full = new SvcmError("PM2_FAILED", { code: "PM2_HOME_UNUSABLE", details: "no space" });
    Object.assign(world.ports.processes, { saveList: () => Promise.reject(full) });
    const { kind, error, calls } = await world.apply();
    expect([kind, error?.code]).toEqual(["APPLY_REVERTED", "PM2_HOME_UNUSABLE"]);
    expect([calls, returns(world)]).toEqual([
      [...FAILED, "restart 1", "restart 0"],
      ["worker", "api"],
    ]);
  });

  test("of new code in the place of the former one says that it stays, and how the former one comes back", async () => {
    const world = await playApplied([api("1"), WORKER]);
    const commit = (letter: string) => ({ commit: letter.repeat(40), dirty: [] });
    world.more.git = commit("a");
    world.declare(BEFORE.map((one) => ({ ...one, args: "y" })));
    await world.apply();
    world.more.git = commit("b");
    world.more.stale = world.pm2.list().map(({ pid }) => pid);
    world.play.on = failTimes(["restart 1"]);
    const { error } = await world.apply();
    expect(error?.details).toContain("because it is in the folder of the former one: api, worker.");
    expect(error?.hint).toContain(
      " To take the files back too: git checkout aaaaaaaaaa && svcm apply --environment dev",
    );
    expect(world.head()?.cannotUndo).toEqual(["api", "worker"].map((app) => ({ app, what: "code" })));
  });

  test("by a defect of svcm is passed on as it is", async () => {
    const world = await playApplied(BEFORE, AFTER);
    world.play.on = () => new TypeError("defect");
    await expect(world.apply()).rejects.toThrow("defect");
  });

  test("returns a stopped app to its stop, which reads nothing", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), WORKER], ["restart 0"]);
    world.pm2.change(0, STOPPED);
    expect((await world.apply({ apps: ["api"] })).kind).toBe("APPLY_REVERTED");
    expect(world.pm2.list()[0]?.status).toBe("stopped");
    expect(world.left()["api"]).not.toHaveProperty("readBy");
  });

  test("returns also to a former name, and a new app is gone again", async () => {
    const world = await playApplied([api("1")], [{ name: "web", env: { A: "1" } }, WORKER], ["start app worker"]);
    world.play.on = (call) =>
      call === "start app worker" ? new SvcmError("PM2_FAILED", { details: "no" }) : undefined;
    expect(await world.apply()).toMatchObject({ kind: "APPLY_REVERTED" });
    expect(world.pm2.list().map(({ name }) => name)).toEqual(["api"]);
    expect(Object.keys(world.left())).toEqual(["api"]);
  });

  test("reads former env files from copies if they have changed, and says so", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), WORKER], ["restart 0"]);
    world.more.changedEnvFiles.set("/srv/.env", "copy");
    await world.apply();
    expect(world.left()["api"]?.pinnedBy).toBe(world.head()?.id);
    expect(world.left()["worker"]).not.toHaveProperty("pinnedBy");
  });

  test.each([
    ["reads those copies again without a doubt, after a restart that kept its options of Node.js", true],
    ["may have read other content, after one that did not", false],
  ])("%s", async (_what, isPinned) => {
    const world = await playApplied([api("1")], [api("2")], ["restart 0"]);
    world.more.changedEnvFiles.set("/srv/.env", "copy");
    await world.apply();
    const [first] = world.pm2.list();
    const declaration = { ...first?.declaration, ...(isPinned && { interpreterArgsDigest: "copies" }) };
    world.pm2.change(0, { pid: 77, declaration } as Partial<ProcessRecord>);
    world.play.on = failTimes(["restart 0"]);
    const { error } = await world.apply();
    const doubt = "With svcm's last copy of the env files, which may differ from what ran: api.";
    expect(error?.details).toContain(
      isPinned ? "Every touched app runs as before. With the former env files: api." : doubt,
    );
    expect(error?.details?.includes("With the former env files")).toBe(isPinned);
  });
});

test("after a way back, what a process has read is known only if it was started again", async () => {
  const app = { environment: "dev", service: "", keys: [], envFiles: [], mayDiffer: true } as const;
  const undone = { left: { apps: { api: app } }, before: [{ ...running(0), isStopped: false, definition: "" }] };
  const after = async (...list: readonly ProcessRecord[]) => {
    const result = { undone, apps: ["api", "new"], pinned: new Set<string>(), by: "r2" };
    return await stateAfterRevert(playPm2(list).ports, { apps: { new: app, other: app }, unsavedAtMs: 7 }, result);
  };
  const renewed = running(0, { pid: 7 });
  const stopped = running(1, STOPPED);
  const { mayDiffer: _doubt, ...read } = app;
  const known = (readBy: readonly number[]) => ({ apps: { other: app, api: { ...read, readBy } }, unsavedAtMs: 7 });
  expect(await after(renewed)).toEqual(known([7]));
  expect(await after(renewed, stopped, running(2, { name: "other" }))).toEqual(known([7]));
  const unknown = { apps: { other: app, api: app }, unsavedAtMs: 7 };
  expect(await after(running(0))).toEqual(unknown);
  expect(await after(renewed, running(0))).toEqual(unknown);
  expect(await after(stopped)).toEqual(unknown);
});

describe("no process is changed", () => {
  test("if one of the first step is not that of the plan", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const change = { cwd: "/other" };
    world.play.look = (list) =>
      world.journals.length > 1 ? list.map((one) => (one.pmId === 0 ? { ...one, ...change } : one)) : list;
    const { kind, error, calls } = await world.apply();
    expect([kind, error?.code, calls]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED", []]);
    expect(error?.details).toBe(
      "api: The process with PM2's number 0 changed after the plan was computed. No process was changed.",
    );
    expect(outcome(world)).toMatchObject({ outcome: "refused" });
  });

  test("if svcm is interrupted before the first step", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const { kind, error, calls } = await world.apply({}, { signal: AbortSignal.abort() });
    expect([kind, calls]).toEqual(["APPLY_REVERTED", []]);
    expect(error).toMatchObject({
      details: "It was interrupted before its first step. No process was changed.",
      hint: "To continue: svcm apply",
    });
  });

  test("if the env files cannot be copied", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const full = new SvcmError("PM2_FAILED", { code: "PM2_HOME_UNUSABLE", details: "full" });
    Object.assign(world.ports.releases, { copyEnvFiles: () => Promise.reject(full) });
    expect(await world.apply()).toMatchObject({ error: full.body, calls: [] });
    expect(outcome(world)).toMatchObject({ outcome: "refused" });
  });
});

test("an interruption between two steps leaves the apply half done, with the ways on and back", async () => {
  const world = await playApplied(BEFORE, AFTER);
  const abort = new AbortController();
  world.play.on = (call) => void (call === "restart 0" && abort.abort());
  const { kind, error, calls } = await world.apply({}, { signal: abort.signal });
  expect([kind, calls]).toEqual(["APPLY_HALF", ["restart 0"]]);
  expect(error?.details).toMatch(/^It was interrupted between two steps\./);
  expect(error).toMatchObject({ hint: expect.stringMatching(/^To continue: svcm apply\. To go back: svcm rollback /) });
});

test("a half-done apply of an app that PM2 did not have says that the way back leaves PM2 without it", async () => {
  const world = await playApplied([WORKER], [api("1"), WORKER, { name: "added" }]);
  const abort = new AbortController();
  world.play.on = (call) => void (call !== "" && abort.abort());
  const { error } = await world.apply({}, { signal: abort.signal });
  expect([error?.details, error?.hint]).toEqual([
    expect.stringMatching(
      /PM2 did not have (?=.*api)(?=.*added)[^.]* before, so the way back leaves PM2 without them\.$/,
    ),
    expect.stringContaining("To go back: svcm rollback "),
  ]);
});

test("an interruption after new code was started in place names the way to the former code", async () => {
  const world = await playApplied(BEFORE);
  const commit = (letter: string) => ({ commit: letter.repeat(40), dirty: [] });
  world.more.git = commit("a");
  world.declare(AFTER);
  await world.apply();
  world.more.git = commit("b");
  world.more.stale = world.pm2.list().map(({ pid }) => pid);
  const abort = new AbortController();
  world.play.on = (call) => void (call === "restart 0" && abort.abort());
  const { kind, error } = await world.apply({}, { signal: abort.signal });
  const hint = "To continue: svcm apply. To go back: git checkout aaaaaaaaaa && svcm apply --environment dev";
  expect([kind, error?.hint]).toEqual(["APPLY_HALF", hint]);
});

test.each([
  [
    "an app without a step",
    [api("2"), WORKER],
    "Every step is done, but worker is no longer as declared; it had no step.",
  ],
  [
    "apps with one and without one",
    [api("1"), { ...WORKER, args: "x" }],
    "Every step is done, but worker is no longer as declared after its step.",
  ],
  ["an app with one", AFTER, "Every step is done, but worker is no longer as declared after its step."],
])("a step that remains, for %s, is not an apply that is done", async (_what, after, reason) => {
  const world = await playApplied(BEFORE, after);
  world.play.look = (list) =>
    world.pm2.calls.includes("save") ? list.map((one) => (one.pmId === 1 ? { ...one, script: "/x" } : one)) : list;
  const { kind, error } = await world.apply();
  expect([kind, error?.failure?.reason, error?.failure?.app]).toEqual(["APPLY_HALF", reason, "worker"]);
});

test("code that could not be read before the steps, and differs after them, was not as declared either", async () => {
  const world = await playApplied(BEFORE, [api("2"), WORKER]);
  world.more.unread = [1];
  world.play.look = (list) => {
    if (!world.pm2.calls.includes("save")) return list;
    world.more.unread = [];
    world.more.stale = list.flatMap(({ pmId, pid }) => (pmId === 1 ? [pid] : []));
    return list;
  };
  expect(await world.apply()).toMatchObject({ outcome: "applied", calls: ["restart 0", "save"] });
});

test.each([
  [
    "ended after it was healthy",
    { pid: 7, createdAt: 1 },
    "Every step is done, but worker ended after it was healthy.",
  ],
  ["PM2 has given up", { ...STOPPED, status: "errored" }, "Every step is done, but worker ended after it was healthy."],
  ["a user restarted", { pid: 7, createdAt: Infinity }, undefined],
])("an app with a step that %s", async (_what, change, reason) => {
  const world = await playApplied(BEFORE, AFTER);
  world.play.look = (list) =>
    world.pm2.calls.includes("save") ? list.map((one) => (one.pmId === 1 ? { ...one, ...change } : one)) : list;
  const { error } = await world.apply();
  expect([error?.code, error?.failure?.reason]).toEqual([reason && "APP_CHANGED_LATER", reason]);
  if (reason !== undefined) expect(error?.details).toBe(`${reason} No app with a step runs as before.`);
});
