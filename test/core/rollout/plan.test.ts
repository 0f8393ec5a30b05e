/** A plan: its issues, its id, its file, and what the list of releases says beside it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/core/api/issue.ts";
import { omitUndefined } from "../../../src/core/api/omit-undefined.ts";
import { releaseList, releaseShow, rolloutPlan } from "../../../src/core/rollout/operations/rollout-plan.ts";
import { decide } from "../../../src/core/rollout/decide.ts";
import {
  createPlan,
  definitionText,
  optionsOfPlan,
  readPlanFile,
  writePlanFile,
  type PlanContext,
} from "../../../src/core/rollout/plan.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { record } from "../../support/process-record.ts";
import { expectedOf, type Fields } from "./loaded.ts";
import { api, playApplied, playRollout, WORKER } from "./played-rollout.ts";
import { inputOf, planFor } from "./plans.ts";

const issue = (code: Issue["code"], severity: Issue["severity"] = "error"): Issue => ({
  code,
  severity,
  path: [],
  message: code,
});

describe("the issues of a plan", () => {
  function codes(
    next: readonly Fields[],
    before: readonly Fields[],
    more: Partial<PlanContext>,
    failing: readonly number[] = [],
  ): string[] {
    const input = {
      ...inputOf(expectedOf(next), simulateApply(expectedOf(before))),
      failing: new Set(failing),
    };
    const about = {
      environment: "dev",
      name: "dev",
      fileName: "e",
      path: "/e",
      exists: true,
      choices: {},
      git: null,
      pm2: null,
    };
    const none = { code: [], leftOut: [], refused: new Map(), conflicts: [], undecided: [], warnings: [] };
    const { issues } = createPlan(input, decide(input), { ...about, ...none, ...more });
    return issues.map(({ code, severity }) => `${code} ${severity}`);
  }
  const conflict = (...apps: string[]) => ({ conflicts: [{ apps, issue: issue("APP_PORT_TAKEN") }] });
  const block = { refused: new Map([["api", issue("ECOSYSTEM_ENV_BLOCK_UNUSED")]]) };
  const notes = { warnings: [issue("DAEMON_DEAD", "warning")], notes: [issue("WORKTREE_UNKNOWN", "warning")] };

  test.each<[string, readonly Fields[], readonly Fields[], Partial<PlanContext>, readonly string[]]>([
    [
      "name a conflict of an app that has a step",
      [api("2"), WORKER],
      [api("1"), WORKER],
      conflict("other", "api"),
      ["APP_PORT_TAKEN error"],
    ],
    ["leave one of the others to a check", [api("2"), WORKER], [api("1"), WORKER], conflict("worker"), []],
    ["refuse a block for an app that starts", [api("1")], [], block, ["ECOSYSTEM_ENV_BLOCK_UNUSED error"]],
    [
      "refuse it for one that gets another definition",
      [api("2")],
      [api("1")],
      block,
      ["ECOSYSTEM_ENV_BLOCK_UNUSED error"],
    ],
    ["say nothing of it for one without a step", [api("1")], [api("1")], block, []],
    ["have warnings beside a step", [api("2")], [api("1")], notes, ["DAEMON_DEAD warning", "WORKTREE_UNKNOWN warning"]],
    ["have only notes without a step", [api("1")], [api("1")], notes, ["WORKTREE_UNKNOWN warning"]],
  ])("%s", (_what, next, before, more, expected) => {
    expect(codes(next, before, more)).toEqual(expected);
  });

  test("only warn of a block for an app that fails, whose restart keeps its definition", () => {
    const [{ pmId } = { pmId: 0 }] = simulateApply(expectedOf([api("1")]));
    expect(codes([api("1")], [api("1")], block, [pmId])).toEqual(["ECOSYSTEM_ENV_BLOCK_UNUSED warning"]);
  });
});

describe("the id of a plan", () => {
  const digest = (text: string) =>
    `${Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 999_999_937, 7)}xxxxxxxx`;
  const idOf = (next: readonly Fields[], before: readonly Fields[], pid = 7) =>
    planFor(
      expectedOf(next),
      simulateApply(expectedOf(before)).map((one) => ({ ...one, pid })),
      { digest },
    ).id;

  test("changes with what is declared and what runs, and not with a restart", () => {
    const id = idOf([api("2"), WORKER], [api("1"), WORKER]);
    expect(id).toMatch(/^[0-9a-f]{4}-[0-9a-f]{4}$/);
    expect(idOf([api("2"), WORKER], [api("1"), WORKER], 8)).toBe(id);
    expect(idOf([api("3"), WORKER], [api("1"), WORKER])).not.toBe(id);
    expect(idOf([api("2"), WORKER], [api("0"), WORKER])).not.toBe(id);
    // The other app has no step.
    expect(idOf([api("2"), { ...WORKER, args: "x" }], [api("1"), { ...WORKER, args: "x" }])).not.toBe(id);
  });

  test("does not depend on the order of variables, nor on those that PM2 sets at each start", () => {
    const textOf = (environment: Readonly<Record<string, string>>) =>
      definitionText(record({ declaration: { ...record().declaration, environment } }));
    expect(textOf({ B: "1", A: "2", PWD: "/srv", unique_id: "x", PM2_HOME: "/p" })).toBe(textOf({ A: "2", B: "1" }));
    expect(textOf({ A: "1" })).not.toBe(textOf({ A: "2" }));
    expect(textOf({ MY_PWD: "1" })).not.toBe(textOf({}));
  });
});

describe("the file of a plan", () => {
  const plan = {
    ...planFor(expectedOf([api("2")]), simulateApply(expectedOf([api("1")])), { digest: (text) => text }),
  };

  test("gives an apply its options and its id, and replaces a former one", async () => {
    const { ports } = playRollout();
    const { root } = ports.workspace;
    const choices = { apps: ["api"], prune: true };
    await writePlanFile(ports, "plan.json", plan);
    await writePlanFile(ports, "plan.json", { ...plan, choices });
    const options = optionsOfPlan(await readPlanFile(ports, "plan.json"));
    expect(options).toEqual({ environment: "dev", ...choices, plan: plan.id });
    expect(readFileSync(join(root, "plan.json"), "utf8").endsWith("}\n")).toBe(true);
  });

  test("that is not a plan, or that cannot be applied, is refused with what is accepted", async () => {
    const { ports } = playRollout();
    const { root } = ports.workspace;
    const accepted = { kind: "INVALID_REQUEST", body: { details: expect.stringContaining("svcm plan --out") } };
    for (const text of ["{", "{}", JSON.stringify({ ...plan, id: null }), "\u{fffd}"]) {
      writeFileSync(join(root, "plan.json"), text);
      await expect(readPlanFile(ports, "plan.json")).rejects.toMatchObject(accepted);
    }
    mkdirSync(join(root, "folder"));
    const unreadable = { kind: "INVALID_REQUEST", body: { path: join(root, "folder") } };
    await expect(readPlanFile(ports, "folder")).rejects.toMatchObject(unreadable);
    await expect(writePlanFile(ports, "folder", plan)).rejects.toMatchObject(unreadable);
    await expect(writePlanFile(ports, "none/plan.json", plan)).rejects.toMatchObject({ kind: "INVALID_REQUEST" });
  });
});

const caller = { source: "cli", actor: "amy", grants: ["read", "logs"] } as const;

describe("svcm plan", () => {
  const shown = async (world: ReturnType<typeof playRollout>, input: object = {}) => {
    const requested: unknown[] = [];
    const reboot = issue("BOOT_LIST_ABSENT", "warning");
    const bootOutlook = { apps: async () => (requested.push("boot"), [reboot]) };
    const issues = async (_: unknown, last: string, touched: readonly { readonly name: string }[]) => (
      requested.push(last, touched.map(({ name }) => name).join()),
      [issue("DEPLOY_INTERRUPTED", "warning")]
    );
    const { deployed } = world.ports;
    const ports = { ...world.ports, bootOutlook, deployed: { ...deployed, issues } };
    const plan = await rolloutPlan.run(ports as never, { environment: "dev", ...input }, caller);
    return { codes: plan.issues.map(({ code, accepted = [] }) => [code, ...accepted].join(" ")), requested, plan };
  };

  test("asks about a reboot only if it has no step, because an apply saves the list", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), WORKER]);
    const release = world.head()?.id;
    const { codes, requested } = await shown(world);
    expect([codes, requested]).toEqual([["DEPLOY_INTERRUPTED"], [release, "api"]]);
    await world.apply();
    const done = await shown(world);
    expect([done.codes, done.requested]).toEqual([
      ["DEPLOY_INTERRUPTED", "BOOT_LIST_ABSENT"],
      ["boot", world.head()?.id, ""],
    ]);
  });

  test("names a rollback that was cut off, of this environment, with the ways on and back", async () => {
    const world = await playApplied([api("1"), WORKER], [api("2"), { ...WORKER, args: "x" }]);
    await world.apply();
    const release = world.head()?.id;
    const abort = new AbortController();
    world.play.on = (call) => void (call === "restart 1" && abort.abort());
    await world.rollback({}, { signal: abort.signal });
    const ways = `svcm rollback ${release} svcm rollback ${world.head()?.id}`;
    expect((await shown(world)).codes).toContain(`ROLLBACK_INTERRUPTED ${ways}`);
    Object.assign(world.head() ?? {}, { environment: "production" });
    expect((await shown(world)).codes.join()).not.toContain("ROLLBACK_INTERRUPTED");
  });
});

describe("svcm releases", () => {
  async function deployed() {
    const world = playRollout();
    world.declare([api("1")]);
    await world.apply({}, {}, { id: "one", former: null, root: "/deploy", subject: "one" });
    world.declare([api("2")]);
    await world.apply({}, {}, { id: "two", former: "one", root: "/deploy", subject: "two" });
    world.declare([api("3")]);
    await world.apply({}, {}, { id: "two", former: "one", root: "/deploy", subject: "two" });
    return world;
  }
  const list = async (world: ReturnType<typeof playRollout>, foreign: object | null = null) => {
    const ports = { ...world.ports, deployed: { ...world.ports.deployed, foreign: async () => foreign } };
    const answer = await releaseList.run(ports as never, {}, caller);
    return { current: answer.releases.map(({ deploy }) => deploy?.isCurrent ?? false), foreign: answer.foreign };
  };

  test("marks the newest release of the folder to which current leads", async () => {
    const world = await deployed();
    expect(await list(world)).toEqual({ current: [false, false, false], foreign: undefined });
    world.more.current = "two";
    expect((await list(world)).current).toEqual([true, false, false]);
    world.more.current = "one";
    expect((await list(world)).current).toEqual([false, false, true]);
  });

  test("names the release of another tool", async () => {
    const foreign = { folder: "releases/7", commit: null };
    expect((await list(playRollout(), foreign)).foreign).toEqual(foreign);
  });

  test("shows the named one, without its log to a caller who may not read logs", async () => {
    const world = await playApplied([api("1")], [api("2")], ["restart 0"]);
    world.more.logs = ["Error: no such table"];
    await world.apply();
    const { id = "" } = world.head() ?? {};
    const show = async (grants: readonly string[], release?: string) =>
      await releaseShow.run(world.ports, omitUndefined({ release }) as never, { ...caller, grants } as never);
    expect(await show(["read", "logs"], id)).toMatchObject({ id, failure: { errorLines: ["Error: no such table"] } });
    expect(JSON.stringify(await show(["read"], id))).not.toContain("no such table");
    // A reverted release has no effect, so the one before it is the newest.
    expect((await show(["read"])).id).not.toBe(id);
  });
});
