import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import {
  execute,
  optionsOfPlan,
  readPlanFile,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  SvcmError,
  writePlanFile,
} from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { firstOrAll } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

const api = { name: "api", script: "./app.cjs", env: { MODE: "1" } };
const old = { name: "old", script: "./app.cjs" };

beforeAll(async () => {
  writeFileSync(join(own.folder, "app.cjs"), `if (process.env.FAILS) process.exit(3);\n${IDLE}`);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  judgeFor("100ms");
});
beforeEach(() => apply([api, old], { prune: true }));

const apply = (apps: readonly object[], more: Partial<InputOf<"rollout.apply">> = {}) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, ports, { environment: "dev", ...more }, caller);
};

const judgeFor = (time: string): void =>
  writeFileSync(join(own.folder, "deployments.yaml"), `rollout: { minHealthyTime: ${time}, healthyDeadline: 20s }`);

const plan = (more: Partial<InputOf<"rollout.plan">> = {}) =>
  execute(rolloutPlan, ports, { environment: "dev", ...more }, caller);

const names = async (): Promise<string[]> => (await ports.processes.list()).map(({ name }) => name).toSorted();

const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? error.kind : error),
  );

test("an app that was removed from the file is deleted only with prune, and never if svcm did not start it", async () => {
  await own.run({ name: "unowned" });
  // Its script lies beside the others, so it counts as their code.
  await apply([api, old]);
  own.pm2Folder([api]);
  expect((await plan()).undeclared).toMatchObject([
    { name: "old", owned: true },
    { name: "unowned", owned: false },
  ]);
  const pruned = await plan({ prune: true });
  expect(pruned.steps.map(({ do: kind, app, disruption }) => [kind, app, disruption])).toEqual([
    ["remove", "old", "down"],
    ["save", "", "none"],
  ]);
  await apply([api], { prune: true });
  expect(await names()).toEqual(["api", "unowned"]);
  await execute(rolloutRollback, ports, {}, caller);
  expect(await names()).toEqual(["api", "old", "unowned"]);
  for (const record of await ports.processes.list())
    if (record.name === "unowned") await ports.processes.remove(record);
});

const modes = [
  ["in fork mode", {}],
  // The app does not listen, so PM2 waits this long.
  ["in a cluster", { exec_mode: "cluster", instances: 2, listen_timeout: 200 }],
] as const;
test.each(firstOrAll(modes))(
  "an app with a new name is renamed in place %s, and a rollback restores the former name",
  async (_, mode) => {
    await apply([{ ...api, ...mode }, old], { prune: true });
    const state = async () =>
      (await ports.processes.list()).map(({ pmId, uniqueId, name, status }) => [pmId, uniqueId, name, status]);
    const before = await state();
    const after = before.map((process) => process.map((value) => (value === "api" ? "items" : value)));
    const { release } = await apply([{ ...api, ...mode, name: "items" }, old]);
    expect(release?.steps.map(({ do: kind, app, phase }) => [kind, app, phase])).toEqual([
      ["update", "items", "done"],
      ["save", "", "done"],
    ]);
    expect(await state()).toEqual(after);
    expect((await plan()).steps).toEqual([]);
    await execute(rolloutRollback, ports, {}, caller);
    expect(await state()).toEqual(before);
    own.pm2Folder([{ ...api, ...mode }, old]);
    expect((await plan()).steps).toEqual([]);
    await execute(rolloutRollback, ports, {}, caller);
    expect(await state()).toEqual(after);
  },
);

test("an app that would start on the port of an undeclared process with the same script is refused", async () => {
  const env = { SVC_HTTP_PORT: String(await freePort()) };
  const unowned = { name: "unowned", script: "./app.cjs", cwd: own.folder, env };
  await own.link().startApp("unowned", [unowned], own.folder);
  const before = await ports.processes.list();
  const refused = apply([{ ...api, args: "x" }, old, { name: "young", script: "./app.cjs", env }]);
  await expect(refused).rejects.toMatchObject({ body: { code: "APP_PORT_TAKEN" } });
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  await ports.processes.remove(before.find(({ name }) => name === "unowned")!);
});

test("a key that was removed from the declaration is removed from the process, even if a user started it", async () => {
  const record = (await ports.processes.list()).find(({ name }) => name === "api");
  await ports.processes.remove(record!);
  // PM2's command line leaves this variable.
  await own.link().startApp("api", [{ ...api, env: { ...api.env, PM2_USAGE: "CLI" }, cwd: own.folder }], own.folder);
  await apply([{ ...api, env: { MODE: "1", EXTRA: "1" } }, old]);
  own.pm2Folder([api, old]);
  expect((await plan()).steps[0]).toMatchObject({
    app: "api",
    why: [{ field: "env", key: "EXTRA", state: "stale" }],
  });
});

test("without a revert, a failed apply stays half done", async () => {
  // Much longer than the time until the crash.
  judgeFor("19s");
  const failing = apply([{ ...api, env: { FAILS: "1" } }, old], { revert: false });
  expect(await refusal(failing)).toBe("APPLY_HALF");
  judgeFor("100ms");
  const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
  expect(newest?.outcome).toBe("half");
  await execute(rolloutRollback, ports, {}, caller);
  own.pm2Folder([api, old]);
  expect((await plan()).steps).toEqual([]);
});

test("after an apply that does not save PM2's list, the next plan saves it", async () => {
  const changed = [{ ...api, env: { MODE: "2" } }, old];
  const { release } = await apply(changed, { save: false });
  expect(release?.steps.map(({ do: kind }) => kind)).toEqual(["update"]);
  expect((await plan()).steps).toMatchObject([{ do: "save", notes: ["DUMP_STALE"] }]);
  await apply(changed);
  expect((await plan()).steps).toEqual([]);
});

test("a plan file is applied with its choices, and refused if it is out of date", async () => {
  own.pm2Folder([api]);
  await writePlanFile(ports, "plan.json", await plan({ prune: true }));
  const options = optionsOfPlan(await readPlanFile(ports, "plan.json"));
  expect(options).toMatchObject({ environment: "dev", prune: true });
  await execute(rolloutApply, ports, options, caller);
  expect(await names()).toEqual(["api"]);
  expect(await refusal(execute(rolloutApply, ports, options, caller))).toBe("PLAN_STALE");
});

test("a plan with another name of the environment is the same plan, and its release has the canonical name", async () => {
  own.pm2Folder([{ ...api, args: "x" }, old]);
  const { id } = await plan();
  expect((await plan({ environment: "development" })).id).toBe(id);
  const options = { environment: "development", plan: id ?? "" };
  const { release } = await execute(rolloutApply, ports, options, caller);
  expect(release?.environment).toBe("dev");
});

test("a file without a plan is refused", async () => {
  writeFileSync(join(own.folder, "plan.json"), "{}");
  expect(await refusal(readPlanFile(ports, "plan.json"))).toBe("INVALID_REQUEST");
  expect(await refusal(readPlanFile(ports, "no-plan.json"))).toBe("INVALID_REQUEST");
});

test("a dry run of a rollback changes nothing, and its id is refused after a change", async () => {
  await apply(
    [
      { ...api, env: { MODE: "2" } },
      { name: "young", script: "./app.cjs", env: { MODE: "2" } },
    ],
    { prune: true },
  );
  const before = await ports.processes.list();
  const dry = await execute(rolloutRollbackPlan, ports, {}, caller);
  expect(dry.steps.map(({ app, instances, disruption }) => [app, instances.from, instances.to, disruption])).toEqual([
    ["old", 0, 1, "none"],
    ["young", 1, 0, "down"],
    ["api", 1, 1, "gap"],
  ]);
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  await execute(rolloutRollback, ports, { apps: ["young"] }, caller);
  expect(await refusal(execute(rolloutRollback, ports, { release: dry.release, plan: dry.id }, caller))).toBe(
    "PLAN_STALE",
  );
});

test("a restart of an app that runs without its unused block is not refused, and a change of its variables is", async () => {
  const withBlock = { ...api, env_dev: { MODE: "3" } };
  const { release, plan: applied } = await apply([withBlock, old], { restart: ["api"] });
  expect(release).toMatchObject({ outcome: "applied" });
  expect(applied.issues).toMatchObject([{ code: "ECOSYSTEM_ENV_BLOCK_UNUSED", severity: "warning" }]);
  expect(await refusal(apply([{ ...withBlock, env: { MODE: "2" } }, old]))).toBe("APPLY_REFUSED");
});
