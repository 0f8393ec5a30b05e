/** A rollback from its plan to its end, with everything that can come between. */
import { describe, expect, test } from "vitest";
import type { ReleasedCode } from "../../../../src/core/api/rollout.ts";
import { rolloutRollbackPlan } from "../../../../src/core/rollout/operations/rollback.ts";
import type { Fields } from "../loaded.ts";
import { api, failTimes, playApplied, playRollout, WORKER } from "../played-rollout.ts";

const BEFORE = [api("1"), WORKER];
const AFTER = [api("2"), { ...WORKER, args: "x" }];
const BACK = ["restart 1", "restart 0"];
const WHY = 'api: PM2 accepted the restart of "api", but its status is errored.';

/** Two apps that a release changed. */
async function released(failing: readonly string[] = []) {
  const world = await playApplied(BEFORE, AFTER);
  await world.apply();
  world.play.on = failTimes(failing);
  const end = () => world.journals[0]?.findLast((event) => event.event === "end");
  return { world, release: world.head()?.id, end };
}

describe("a rollback", () => {
  test("returns the last app first, saves PM2's list, and is a release that can be undone", async () => {
    const { world, release } = await released();
    expect(await world.rollback()).toEqual({ outcome: "applied", calls: [...BACK, "save"] });
    expect(world.head()).toMatchObject({ undoes: release, environment: "dev", actor: "amy" });
    const [first, second] = world.pm2.list();
    expect(world.left()).toMatchObject({ api: { readBy: [first?.pid] }, worker: { readBy: [second?.pid] } });
    expect(await world.rollback()).toEqual({ outcome: "applied", calls: ["restart 0", "restart 1", "save"] });
    expect(first?.declaration.environment).not.toEqual(world.pm2.list()[0]?.declaration.environment);
    const audit = world.audits.findLast(({ action }) => action === "plan.rollback");
    expect(audit).toMatchObject({ outcome: "succeeded", processes: [{ pmId: 0 }, { pmId: 1 }] });
  });

  test("of a release that added an app removes it", async () => {
    const world = await playApplied([api("1")], BEFORE);
    await world.apply();
    expect((await world.rollback()).calls).toEqual(["delete 1", "save"]);
    expect(Object.keys(world.left())).toEqual(["api"]);
  });

  test("of one app leaves the other, and the rest of it finishes the return", async () => {
    const { world, release = "" } = await released();
    expect((await world.rollback({ apps: ["worker"] })).calls).toEqual(["restart 1", "save"]);
    expect(Object.keys(world.left())).toEqual(["api", "worker"]);
    expect((await world.rollback({ release })).calls).toEqual(["restart 0", "save"]);
    expect(await world.rollback({ release })).toMatchObject({
      kind: "NOTHING_TO_ROLL_BACK",
      error: { code: "NOTHING_TO_ROLL_BACK", details: expect.stringContaining(`before the release ${release}`) },
      calls: [],
    });
  });

  test.each<[string, readonly string[], string, readonly string[], string]>([
    ["is undone", ["restart 0"], "APPLY_REVERTED", ["restart 0", "restart 1"], "reverted"],
    [
      "that cannot be undone is half done",
      ["restart 0", "restart 0"],
      "APPLY_HALF",
      ["restart 0", "restart 1"],
      "half",
    ],
  ])("that fails %s", async (_what, failing, kind, undoing, outcome) => {
    const { world, end } = await released(failing);
    const answer = await world.rollback();
    expect(answer).toMatchObject({ kind, calls: [...BACK, ...undoing, "save"] });
    expect(answer.error?.details).toMatch(/^The rollback failed[.,]/);
    expect(answer.error?.details?.endsWith(WHY)).toBe(true);
    expect(end()?.event === "end" && end()).toMatchObject({ outcome });
    const hint = kind === "APPLY_HALF" ? "Read which process does not start: svcm ls" : /^Read why: svcm why api\. /;
    expect(answer.error?.hint).toMatch(hint);
  });

  test("that is interrupted names the ways on and back", async () => {
    const first = await released();
    expect(await first.world.rollback({}, { signal: AbortSignal.abort() })).toMatchObject({
      kind: "APPLY_REVERTED",
      error: { hint: `To continue: svcm rollback ${first.release}` },
      calls: [],
    });
    const { world, release, end } = await released();
    const abort = new AbortController();
    world.play.on = (call) => void (call === "restart 1" && abort.abort());
    const { kind, error, calls } = await world.rollback({}, { signal: abort.signal });
    expect([kind, calls]).toEqual(["APPLY_HALF", ["restart 1", "save"]]);
    const hint = `To continue: svcm rollback ${release}. To go back: svcm rollback ${world.head()?.id}`;
    expect([error, end()]).toMatchObject([{ hint }, { outcome: "half" }]);
  });

  test.each([
    ["another plan", { plan: "7f3a-9c21" }, "PLAN_STALE", /^The plan 7f3a-9c21 is out of date: .* is now \S+\.$/],
    ["an unknown release", { release: "19690101-000000-0000" }, "RELEASE_NOT_FOUND", /no longer kept/],
    ["an app that it did not change", { apps: ["web"] }, "PROCESS_NOT_FOUND", /changed no app named "web"/],
  ])("of %s is refused, and touches nothing", async (_what, input, kind, details) => {
    const { world } = await released();
    const answer = await world.rollback(input);
    expect([answer.kind, answer.calls]).toEqual([kind, []]);
    expect(answer.error?.details).toMatch(details);
    expect(world.audits.at(-1)).toMatchObject({ action: "plan.rollback", outcome: "refused" });
  });

  test("that fails at its first app touches no other, and its journal says why", async () => {
    const { world } = await released(["restart 1"]);
    expect((await world.rollback()).calls).toEqual(["restart 1", "restart 1", "save"]);
    const journal = world.journals[0]?.flatMap((event) =>
      event.event === "step" ? [`${event.phase} ${event.reason}`] : event.event === "return" ? [event.app] : [],
    );
    const reason = 'failed worker: PM2 accepted the restart of "worker", but its status is errored.';
    expect(journal).toEqual(["begun undefined", "worker", reason, "worker"]);
  });

  test("of a named release is carried out, also if another one began since the request", async () => {
    const { world, release = "" } = await released();
    const { journals } = world;
    const later = journals[1]?.map((event) => ("id" in event ? { ...event, id: "29991231-000000-0000" } : event)) ?? [];
    const withLock = async (_ms: number, work: () => Promise<unknown>) => (journals.unshift(later), await work());
    const wait = async (input: object) => {
      const { id } = await rolloutRollbackPlan.run(world.ports, { release }, { source: "cli", grants: ["read"] });
      Object.assign(world.ports.releases, { withLock });
      const answer = await world.rollback("plan" in input ? { release, plan: id } : input);
      journals.splice(journals.indexOf(later), 1);
      return answer;
    };
    const { kind, error, calls } = await wait({});
    expect([kind, calls]).toEqual(["PLAN_STALE", []]);
    expect(error?.details).toMatch(/^While svcm waited, the release 29991231-000000-0000 began: /);
    expect((await wait({ plan: "" })).calls).toEqual([...BACK, "save"]);
    world.declare(AFTER);
    await world.apply();
    expect((await wait({ release: world.head()?.id })).outcome).toBe("applied");
  });

  test("of new code in the same place is refused, because the code stays", async () => {
    const world = await playApplied([api("1"), WORKER]);
    world.more.stale = [world.pm2.list()[0]?.pid];
    expect((await world.apply()).calls).toEqual(["restart 0", "save"]);
    expect(world.head()).toMatchObject({ steps: [{ app: "api", newCode: true }, { do: "save" }] });
    expect(await world.rollback()).toMatchObject({ kind: "NOTHING_TO_ROLL_BACK", error: { code: "CODE_STAYS" } });
  });

  test("of a fleet's step undoes what its rollout did here, once", async () => {
    const world = await playApplied(BEFORE, AFTER);
    const step = (number: number) => ({ step: { rollout: "r1", step: number, confirm: async () => undefined } });
    await world.apply({}, step(1));
    world.declare([...AFTER, { name: "later" }]);
    await world.apply();
    expect((await world.rollback({}, step(2))).calls).toEqual([...BACK, "save"]);
    expect(await world.rollback({}, step(2))).toEqual({ outcome: "applied", calls: [] });
    const { kind, error } = await world.rollback({}, { step: { ...step(3).step, rollout: "r2" } });
    expect([kind, error?.details]).toEqual(["NOTHING_TO_ROLL_BACK", "The rollout r2 has changed nothing here."]);
  });
});

describe("a rollback of a deploy", () => {
  const code = (id: string): readonly Fields[] => [api("1", { script: `/deploy/releases/${id}/api.js` }), WORKER];
  const deploy = (id: string, former: string | null): ReleasedCode => ({ id, former, root: "/deploy", subject: id });
  /** The second deploy has moved the app and `current`. */
  async function deployed(former: string | null = "one") {
    const world = playRollout();
    world.declare(code("one"));
    await world.apply({}, {}, deploy("one", null));
    world.declare(code("two"));
    await world.apply({}, {}, deploy("two", former));
    world.more.current = "two";
    return { world, release: world.head()?.id };
  }

  test("moves current when the apps have returned, and can be undone", async () => {
    const { world } = await deployed();
    expect(await world.rollback()).toEqual({
      outcome: "applied",
      calls: ["lock /deploy", "restart 0", "save", "current one", "undone to two"],
    });
    expect(world.head()?.deploy).toMatchObject({ id: "one", former: "two" });
    const again = ["lock /deploy", "restart 0", "save", "current two", "undone to one"];
    expect((await world.rollback()).calls).toEqual(again);
  });

  test("can be undone to what was current meanwhile, and leaves what leads there already", async () => {
    const { world, release } = await deployed();
    world.more.current = "three";
    await world.rollback({ release });
    expect(world.head()?.deploy).toMatchObject({ id: "one", former: "three" });
    const back = await deployed();
    back.world.more.current = "one";
    expect((await back.world.rollback()).calls).toEqual(["lock /deploy", "restart 0", "save", "undone to two"]);
    expect(back.world.head()?.deploy).toMatchObject({ id: "one", former: "two" });
    const lost = await deployed();
    delete lost.world.more.current;
    await lost.world.rollback();
    expect(lost.world.head()?.deploy).toMatchObject({ former: "two" });
  });

  test("of a service that was deployed alone can be undone without moving current to it", async () => {
    const world = playRollout();
    const worker = { ...WORKER, script: "/deploy/releases/one/worker.js" };
    for (const [id, former] of [["one", null] as const, ["two", "one"] as const]) {
      world.declare([...code(id).slice(0, 1), worker]);
      await world.apply({}, {}, deploy(id, former));
      world.more.current = "one";
    }
    await world.rollback();
    await world.rollback();
    expect(world.more.current).toBe("one");
    expect(world.head()?.deploy).toMatchObject({ id: "two" });
  });

  test("of one of its apps leaves the deploy as the one that runs", async () => {
    const world = playRollout();
    for (const id of ["one", "two"]) {
      world.declare(code(id).map((one, at) => ({ ...one, script: `/deploy/releases/${id}/${at}.js` })));
      await world.apply({}, {}, deploy(id, id === "two" ? "one" : null));
    }
    world.more.current = "two";
    const { calls } = await world.rollback({ apps: ["worker"] });
    expect([calls.includes("restart 1"), calls.some((call) => call.startsWith("undone"))]).toEqual([true, false]);
    expect(world.more.current).toBe("two");
  });

  test("moves current first to a release of another tool, which runs by it", async () => {
    const { world } = await deployed(null);
    expect((await world.rollback()).calls.slice(1, 3)).toEqual(["current null", "restart 0"]);
    const other = await deployed(null);
    other.world.more.switchFails = true;
    expect(await other.world.rollback()).toMatchObject({
      kind: "DEPLOY_FAILED",
      calls: ["lock /deploy", "current null"],
    });
    const failing = await deployed(null);
    failing.world.play.on = failTimes(["restart 0"]);
    expect((await failing.world.rollback()).calls.slice(1)).toEqual([
      "current null",
      "restart 0",
      "restart 0",
      "save",
      "current two",
    ]);
  });

  test.each([
    ["two", "one", "Deploy its code again: svcm deploy one, or svcm deploy --from with its release file."],
    ["two, the first one", null, "Put the folder back, or check out a good revision, and run svcm apply."],
  ])("of %s is refused if the former code is gone, with what brings it back", async (_what, former, hint) => {
    const { world, release } = await deployed(former);
    const gone = (paths: Iterable<string>) => new Set([...paths].filter((path) => path.startsWith("/deploy/")));
    Object.assign(world.ports.stamps, { missing: gone });
    const { kind, error, calls } = await world.rollback();
    expect([kind, error?.code, error?.hint, calls]).toEqual(["APPLY_REFUSED", "RELEASE_GONE", hint, ["lock /deploy"]]);
    expect(error?.details).toBe(
      `The release ${release} cannot be undone: api ran with /deploy/releases/one/api.js, which no longer exists. No process was touched.`,
    );
  });

  test("is half done if current cannot be moved", async () => {
    const { world, release } = await deployed();
    world.more.switchFails = true;
    const { kind, error } = await world.rollback();
    expect(kind).toBe("APPLY_HALF");
    expect(error).toMatchObject({
      details: "The apps returned, but /deploy/current was not switched: no space",
      hint: `Correct that, then: svcm rollback ${release}`,
    });
  });
});
