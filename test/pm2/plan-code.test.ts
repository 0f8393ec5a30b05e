/** The code that a real PM2 runs: changes that a plan shows and an apply ends, and code that is unknown. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import {
  ecosystemDrift,
  execute,
  optionsOfPlan,
  readPlanFile,
  releaseShow,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  SvcmError,
  writePlanFile,
} from "../../src/core/index.ts";
import { withProgress } from "../../src/core/rollout/apply/recording.ts";
import { renderRelease } from "../../src/commands/terminal/release.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

const app = (): string => join(own.folder, "app");
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: own.folder, env: plainEnvironment(GIT_ENVIRONMENT), encoding: "utf8" });
const commit = (): void => {
  git("add", "--all", "app", "pm2");
  git("commit", "--quiet", "--message", "change");
};
const writeModule = (text: string): void => writeFileSync(join(app(), "mod.cjs"), `module.exports = "${text}";`);
const plan = (more: Partial<InputOf<"rollout.plan">> = {}) =>
  execute(rolloutPlan, ports, { environment: "dev", ...more }, caller);
const apply = (more: Partial<InputOf<"rollout.apply">> = {}) =>
  execute(rolloutApply, ports, { environment: "dev", ...more }, caller);
const codeOf = async (): Promise<string[]> =>
  (await plan()).steps.flatMap(({ app: name, why }) =>
    why.flatMap(({ field, details }) => (field === "code" ? [`${name} ${details}`] : [])),
  );
const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? error.kind : error),
  );

const apps = firstOrAll([
  { name: "fork", script: "./server.cjs" },
  { name: "cluster", script: "./server.cjs", exec_mode: "cluster", instances: 2, listen_timeout: 200 },
  { name: "wrapper", script: "npm", args: "start", interpreter: "none" },
]);
const names = apps.map(({ name }) => name);

function declare(more: readonly object[] = []): void {
  own.pm2Folder([...apps.map((one) => ({ ...one, cwd: app() })), ...more]);
}

beforeAll(async () => {
  mkdirSync(app());
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms, healthyDeadline: 20s }");
  writeFileSync(join(app(), "package.json"), '{"name":"shop","scripts":{"start":"node server.cjs"}}');
  writeFileSync(join(app(), "server.cjs"), `require("./mod.cjs");\n${IDLE}`);
  writeModule("1");
  declare();
  git("init", "--quiet", "--initial-branch=main");
  commit();
  await apply();
});
let isFirst = true;
beforeEach(async () => {
  if (isFirst) return void (isFirst = false);
  git("checkout", "--quiet", "--", "app");
  declare();
  await apply({ restart: true, prune: true, allowDirty: true });
});

test("a module that was changed and committed is a step of each app that runs it, and the plan is empty after it", async () => {
  expect(await plan()).toMatchObject({ steps: [], unknown: [] });
  const before = git("rev-parse", "--short=7", "HEAD").trim();
  writeModule("2");
  commit();
  const after = git("rev-parse", "--short=7", "HEAD").trim();
  const text = `${before} to ${after}, 1 file`;
  expect(await codeOf()).toEqual(names.map((name) => `${name} ${text}`));
  const { drift } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect(drift.map(({ field, details }) => [field, details])).toEqual(names.map(() => ["code", text]));
  await apply();
  expect(await plan()).toMatchObject({ steps: [], unknown: [], unchanged: names });
  // The module is the new one, whatever a rollback does.
  const pids = (await ports.processes.list()).map(({ pid }) => pid);
  await expect(execute(rolloutRollback, ports, {}, caller)).rejects.toMatchObject({
    kind: "NOTHING_TO_ROLL_BACK",
    body: { code: "CODE_STAYS" },
  });
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(pids);
});

longTest("code that is committed while an apply runs was not planned, and the apply says so", async () => {
  writeModule("planned");
  commit();
  const planned = git("rev-parse", "--short=10", "HEAD").trim();
  const releases = withProgress(ports.releases, ({ step }) => {
    if (step !== 1 || git("rev-parse", "--short=10", "HEAD").trim() !== planned) return;
    writeModule("pulled");
    commit();
  });
  await expect(execute(rolloutApply, { ...ports, releases }, { environment: "dev" }, caller)).rejects.toMatchObject({
    kind: "APPLY_HALF",
    body: {
      code: "APPLY_CODE_CHANGED",
      details: `While the apply ran, app/mod.cjs changed. Some apps may run code that the plan did not show, instead of that of ${planned}.`,
      hint: `Review it: git diff ${planned}. To go back: git checkout ${planned} && svcm apply --environment dev`,
    },
  });
  expect(await plan()).toMatchObject({ steps: [], unknown: [] });
  writeModule("reviewed");
  commit();
  expect((await apply()).release).toMatchObject({ outcome: "applied" });
});

longTest("a rollback that returns the definition of an app says which code stays", async () => {
  const former = git("rev-parse", "HEAD").trim();
  own.pm2Folder(apps.map((one) => ({ ...one, cwd: app(), env: { MODE: "new" } })));
  writeModule("with a variable");
  commit();
  const now = git("rev-parse", "HEAD").trim();
  await apply({ allowDirty: true });
  const stays = { commit: now, former };
  expect(await execute(rolloutRollbackPlan, ports, {}, caller)).toMatchObject({ changed: true, keptCode: stays });
  const release = await execute(rolloutRollback, ports, {}, caller);
  expect(release).toMatchObject({ outcome: "applied", keptCode: stays });
  expect(await execute(releaseShow, ports, { release: release.id }, caller)).toMatchObject({ keptCode: stays });
  expect(renderRelease(release)).toContain(
    `The code of ${now.slice(0, 10)} stays, because a rollback leaves files as they are: check out ${former.slice(0, 10)}, and run svcm apply.`,
  );
  declare();
  commit();
});

longTest(
  "a rollback of an older release names the code that is checked out, and none after the former code is back",
  async () => {
    writeModule("good");
    commit();
    const former = git("rev-parse", "HEAD").trim();
    await apply();
    writeModule("older");
    commit();
    const { release: older } = await apply();
    writeModule("newest");
    commit();
    const newest = git("rev-parse", "HEAD").trim();
    await apply();
    const planned = () => execute(rolloutRollbackPlan, ports, { release: older?.id }, caller);
    expect((await planned()).keptCode).toEqual({ commit: newest, former });
    // The code that is checked out now stays, also if no release has applied it.
    git("checkout", "--quiet", former);
    expect((await planned()).keptCode).toBeUndefined();
    git("checkout", "--quiet", "main");
    writeModule("not applied");
    commit();
    const present = git("rev-parse", "HEAD").trim();
    expect((await planned()).keptCode).toEqual({ commit: present, former });
  },
);

longTest(
  "after a restart by PM2 itself, the process runs the new code, and the record of the former pid does not count",
  async () => {
    writeModule("3");
    const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
    execFileSync(process.execPath, [PM2, "restart", "fork"], { env, stdio: "ignore" });
    expect(await codeOf()).toEqual(["cluster mod.cjs", "wrapper mod.cjs"]);
  },
);

longTest("what cannot be known has no step, is not unchanged, and is restarted on demand", async () => {
  const service =
    readdirSync(join(own.home, "svcm")).find((name) => existsSync(join(own.home, "svcm", name, "starts"))) ?? "";
  utimesSync(join(app(), "mod.cjs"), 1e9, 1e9);
  rmSync(join(own.home, "svcm", service, "starts"), { recursive: true });
  const found = await plan();
  expect(found).toMatchObject({ changed: false, steps: [], unchanged: [] });
  expect(found.unknown.map(({ app: name, part, pmIds }) => [name, part, pmIds.length])).toEqual([
    ["fork", "code", 1],
    ["cluster", "code", 2],
    ["wrapper", "code", 1],
  ]);
  expect(found.unknown[0]?.reason).toMatch(/^mod\.cjs was written after its start/);
  await apply({ restart: ["fork"] });
  expect((await plan()).unknown.map(({ app: name }) => name)).toEqual(["cluster", "wrapper"]);
  await apply({ restart: true });
  expect(await plan()).toMatchObject({ steps: [], unknown: [] });
});

longTest("a plan that was read before the code changed is refused, also if it is in a file", async () => {
  declare([{ name: "new", script: "./server.cjs", cwd: app() }]);
  await writePlanFile(ports, "plan.json", await plan());
  writeModule("4");
  commit();
  expect(
    await refusal(execute(rolloutApply, ports, optionsOfPlan(await readPlanFile(ports, "plan.json")), caller)),
  ).toBe("PLAN_STALE");
});

longTest("code that is not committed is told like other files, and refused", async () => {
  writeModule("5");
  expect((await plan()).git?.dirty).toContain("app/mod.cjs");
  expect(await refusal(apply())).toBe("WORKTREE_DIRTY");
});

longTest("a link that leads back to an older release is a step", async () => {
  for (const release of ["1", "2"]) {
    mkdirSync(join(own.folder, "releases", release), { recursive: true });
    const script = join(own.folder, "releases", release, "server.cjs");
    writeFileSync(script, IDLE);
    utimesSync(script, 1e9, 1e9);
  }
  const relink = (release: string): void => {
    symlinkSync(join("releases", release), join(own.folder, "next"));
    renameSync(join(own.folder, "next"), join(own.folder, "current"));
  };
  relink("2");
  declare([{ name: "linked", script: "./server.cjs", cwd: join(own.folder, "current") }]);
  await apply({ allowDirty: true });
  relink("1");
  expect(await codeOf()).toEqual(["linked releases/2 to releases/1"]);
});
