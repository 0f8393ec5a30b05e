/** An apply from its plan to its last look: what PM2 is asked, and what the journal keeps. */
import { describe, expect, test } from "vitest";
import type { ReleaseEvent } from "../../../../src/core/rollout/release.ts";
import { whileListening } from "../../../../src/core/rollout/apply/apply.ts";
import { STOPPED } from "../control/played-pm2.ts";
import type { Fields } from "../loaded.ts";
import { api, playApplied, playRollout, WORKER } from "../played-rollout.ts";

const stepsOf = (events: readonly ReleaseEvent[] = []) =>
  events.flatMap((one) =>
    one.event === "step" ? [`${one.step} ${one.phase} ${one.pmIds?.join(",") ?? ""}`.trim()] : [],
  );

describe("an apply", () => {
  const two = [api("1"), WORKER];
  test.each<[string, readonly Fields[], readonly Fields[], object, readonly string[], readonly string[]]>([
    ["of a new app", [], [api("1")], {}, ["start app api", "save"], ["api"]],
    ["of nothing new", [api("1")], [api("1")], {}, [], ["api"]],
    ["of another value", [api("1")], [api("2")], {}, ["restart 0", "save"], ["api"]],
    ["of a mode", [{}], [{ exec_mode: "cluster" }], {}, ["delete 0", "start app api", "save"], ["api"]],
    ["of an instance more", [{}], [{ instances: 2, exec_mode: "fork" }], {}, ["duplicate 0", "save"], ["api"]],
    ["without an app", two, [WORKER], {}, [], ["api", "worker"]],
    ["without an app, with --prune", two, [WORKER], { prune: true }, ["delete 0", "save"], ["worker"]],
    ["of a new name", [{}], [{ name: "web" }], {}, ["restart 0", "save"], ["web"]],
    ["that does not save", [api("1")], [api("2")], { save: false }, ["restart 0"], ["api"]],
    [
      "of one app of two",
      two,
      [api("2"), { ...WORKER, args: "x" }],
      { apps: ["worker"] },
      ["restart 1", "save"],
      ["api", "worker"],
    ],
  ])("%s, which a second one finds done", async (_what, before, after, input, calls, apps) => {
    const world = await playApplied(before, after);
    expect(await world.apply(input)).toEqual({ outcome: calls.length === 0 ? undefined : "applied", calls });
    expect(Object.keys(world.left())).toEqual(apps);
    expect((await world.apply(input)).calls).toEqual([]);
  });

  test("that did not save is saved by the next one", async () => {
    const world = await playApplied([api("1")], [api("2")]);
    await world.apply({ save: false });
    expect(world.journals[0]?.at(-1)).toMatchObject({ left: { unsavedAtMs: expect.any(Number) } });
    expect((await world.apply({ save: false })).calls).toEqual([]);
    expect((await world.apply()).calls).toEqual(["save"]);
    expect((await world.apply()).calls).toEqual([]);
  });

  test("waits for a process that a user restarts at its last look", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), WORKER]);
    let stoppedMs: number | undefined;
    world.play.look = (list, nowMs) => {
      if (!world.pm2.calls.includes("save")) return list;
      return nowMs === (stoppedMs ??= nowMs)
        ? list.map((one) => (one.pmId === 1 ? { ...one, ...STOPPED } : one))
        : list;
    };
    expect((await world.apply()).outcome).toBe("applied");
  });

  test("of a step of a fleet happens once", async () => {
    const world = await playApplied([api("1")], [api("2")]);
    let confirmed = 0;
    const step = { rollout: "r1", step: 1, confirm: async () => void (confirmed += 1) };
    expect((await world.apply({}, { step })).calls).toEqual(["restart 0", "save"]);
    world.declare([api("3")]);
    expect(await world.apply({}, { step })).toEqual({ outcome: "applied", calls: [] });
    expect(confirmed).toBe(1);
    expect(world.journals).toHaveLength(2);
  });
});

describe("an apply in doubt", () => {
  const known = { commit: "a".repeat(40), dirty: [] };
  test("says which code is not that of the plan", async () => {
    const world = await playApplied([api("1")], [api("2")]);
    world.more.git = known;
    const isOver = () => world.pm2.calls.includes("save");
    world.more.uncommitted = () => ({ paths: isOver() ? [`${world.ports.workspace.root}/lib.js`] : [], problem: null });
    const { kind, error } = await world.apply();
    expect([kind, error?.code, error?.failure?.reason]).toEqual([
      "APPLY_HALF",
      "APPLY_CODE_CHANGED",
      "While the apply ran, lib.js changed.",
    ]);
  });

  test("is applied, and says what it does not know", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), WORKER]);
    world.more.git = known;
    world.more.uncommitted = () => ({ paths: [], problem: "Git is silent" });
    await world.apply();
    const unknown = [{ app: "api", pmIds: [0], part: "code", reason: expect.stringContaining("Git is silent") }];
    expect(world.journals[0]?.at(-1)).toMatchObject({ outcome: "applied", unknown });
  });

  test("listens to PM2 only while its steps run", async () => {
    const world = await playApplied([api("1")], [api("2")]);
    const received: unknown[] = [];
    Object.assign(world.ports.processes, {
      listenForReady: async (isListening: boolean) => void received.push(isListening, world.pm2.calls.length),
    });
    await world.apply();
    expect(received).toEqual([true, 0, false, 2]);
    const failed = new Error("a step fails");
    await expect(whileListening(world.ports, () => Promise.reject(failed))).rejects.toBe(failed);
    expect(received.slice(4)).toEqual([true, 2, false, 2]);
    expect(world.journals[0]?.at(-1)).not.toHaveProperty("unknown");
  });
});

describe("the records of an apply", () => {
  test("have its steps with the processes that they started, and who did it", async () => {
    const world = await playApplied([api("1"), { name: "gone" }], [api("1", { exec_mode: "cluster" }), WORKER]);
    world.more.git = { commit: "a".repeat(40), dirty: [] };
    await world.apply({ prune: true, message: "cluster" });
    const [events = []] = world.journals;
    const done = ["0 begun", "0 done 2", "1 begun", "1 done 3", "2 begun", "2 done", "3 begun", "3 done"];
    expect(stepsOf(events)).toEqual(done);
    const { id, plan, ...head } = world.head() ?? {};
    expect(head).toMatchObject({ message: "cluster", source: "cli", actor: "amy", environment: "dev" });
    const of = (action: string, outcome: string) =>
      world.audits.find((one) => one.action === action && one.outcome === outcome);
    expect(of("plan.apply", "succeeded")).toMatchObject({ target: `release ${id}, plan ${plan}, commit aaaaaaaaaa` });
    expect(of("plan.apply", "succeeded")?.processes?.map(({ pmId }) => pmId)).toEqual([0, 1, null]);
    expect(of("process.replace", "started")?.processes).toMatchObject([{ name: "api", pmId: 0 }]);
    expect(of("process.replace", "succeeded")?.processes).toMatchObject([{ pmId: 0 }, { name: "api", pmId: 2 }]);
    expect(of("process.start", "started")?.processes).toMatchObject([{ name: "worker", pmId: null }]);
    expect(of("process.start", "succeeded")?.processes).toMatchObject([{ name: "worker", pmId: 3 }]);
    expect(of("process.remove", "succeeded")?.processes).toMatchObject([{ name: "gone", pmId: 1 }]);
    expect(world.audits.some(({ action }) => action === "process.save")).toBe(false);
    expect([world.left()["api"]?.processes, world.left()["worker"]?.processes]).toEqual([["u2"], ["u3"]]);
  });

  test("have each process of an app once after a scale", async () => {
    const world = await playApplied([{ exec_mode: "fork" }], [{ exec_mode: "fork", instances: 2 }]);
    await world.apply();
    const scaled = world.audits.findLast(({ action }) => action === "process.scale");
    expect(scaled?.processes?.map(({ pmId }) => pmId)).toEqual([0, 1]);
  });

  test("keep the env files that a process has read until the app is started again", async () => {
    const own = { ...WORKER, env_file: "/srv/worker.env" };
    const world = await playApplied([api("1"), own], [api("2"), own]);
    const first = world.head()?.id;
    const copyOf = (app: string) => world.left()[app]?.envFiles.map(({ path, copy }) => `${path} ${copy}`);
    expect(copyOf("worker")).toEqual([`/srv/worker.env ${first}/env/1`]);
    await world.apply();
    const second = world.head()?.id;
    expect([copyOf("api"), copyOf("worker")]).toEqual([
      [`/srv/.env ${second}/env/0`],
      [`/srv/worker.env ${first}/env/1`],
    ]);
    world.declare([api("2", { instances: 2, exec_mode: "fork" }), own]);
    await world.apply();
    expect(copyOf("api")).toEqual([`/srv/.env ${second}/env/0`]);
  });

  test("know an app that ran before as one whose env files are those of now", async () => {
    const world = playRollout();
    world.declare([api("1")]);
    await world.apply();
    world.journals.length = 0;
    world.declare([api("1"), WORKER]);
    expect((await world.apply()).outcome).toBe("applied");
    expect(world.left()["api"]?.envFiles[0]?.copy).toBe(`${world.head()?.id}/env/0`);
  });

  test("name the variables that a step changes, and nothing else of it", async () => {
    const world = await playApplied([api("1")], [api("2", { args: "x" })]);
    expect((await world.apply({ plan: "7f3a-9c21" })).kind).toBe("PLAN_STALE");
    expect(world.audits.pop()).toMatchObject({
      outcome: "refused",
      target: expect.stringMatching(/^plan \w{4}-\w{4}$/),
    });
    expect((await world.apply()).outcome).toBe("applied");
    expect(world.head()?.renamed).toEqual({});
    const keys = world.audits.filter(({ action }) => action === "process.update").map((one) => one.keys);
    expect(keys).toEqual([["A"], ["A"]]);
    world.declare([api("2", { args: "y" })]);
    await world.apply();
    expect(world.audits.at(-2)).not.toHaveProperty("keys");
  });

  test("have how an app is probed, how long its start took, and its variables", async () => {
    const restapi = { name: "restapi", env: { SVC_HTTP_PORT: "3000" } };
    const world = await playApplied([], [restapi]);
    world.more.answering = () => world.pm2.list()[0]?.pid;
    await world.apply();
    const first = world.left()["restapi"];
    expect(first).toMatchObject({ probe: { port: 3000 }, keys: ["SVC_HTTP_PORT"], processes: ["u0"], bootMs: 0 });
    world.declare([restapi, WORKER]);
    await world.apply();
    expect(world.left()["restapi"]).toMatchObject({ bootMs: first?.bootMs, envFiles: first?.envFiles });
    expect(world.left()["worker"]).not.toHaveProperty("bootMs");
  });
});
