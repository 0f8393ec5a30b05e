/** The plan with a real PM2: its list after a start is the declared state, and each change is a step. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../../src/core/api/rollout.ts";
import { ecosystemDrift, execute, rolloutPlan, type Ports } from "../../src/core/index.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read"] } as const;
const CANARY = "canary-5f1e";
let own: Pm2;
let ports: Ports;

/** Every field that a declaration may have, except steps that another field would hide. */
const api = {
  name: "api",
  script: "./idle.cjs",
  args: ["--token", CANARY],
  node_args: ["--env-file=.env", `--title=${CANARY}`],
  env: { API_TOKEN: CANARY, MODE: "1", DATABASE_URL: `postgres://u:${CANARY}@db/x` },
  max_memory_restart: "300M",
  kill_timeout: 5000,
  out_file: "logs/out.log",
  min_uptime: "2s",
};
const workers = { name: "workers", script: "./idle.cjs", exec_mode: "cluster", instances: 2, wait_ready: false };

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "idle.cjs"), IDLE);
  writeFileSync(join(own.folder, "other.cjs"), IDLE);
  mkdirSync(join(own.folder, "elsewhere"));
  // PM2 would create it beside the code, after the start.
  mkdirSync(join(own.folder, "logs"));
  writeFileSync(join(own.folder, ".env"), `SECRET=${CANARY}\n`);
  // Earlier than the start, even on the coarsest clock.
  for (const name of ["idle.cjs", "other.cjs", ".env"]) utimesSync(join(own.folder, name), 1e9, 1e9);
  own.pm2Folder([api, workers]);
  await own.startDeclared("api");
  await own.startDeclared("workers");
});
afterAll(() => own.end());

async function planFor(apps: readonly object[], through: Ports = ports): Promise<Plan> {
  own.pm2Folder(apps);
  return execute(rolloutPlan, through, { environment: "dev" }, caller);
}

const command = (...args: string[]): void => {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  execFileSync(process.execPath, [PM2, ...args], { env, cwd: own.folder, stdio: "ignore" });
};

const stepsOf = ({ steps }: Plan): string[] =>
  steps.map(({ do: kind, app, disruption, why }) =>
    [kind, app, disruption, ...why.map(({ field, key, state }) => `${field}${key ? ` ${key}` : ""} ${state}`)]
      .filter(Boolean)
      .join(" "),
  );

longTest(
  "after a start, PM2 runs what the file declares, also after a restart by PM2 and by its command line",
  async () => {
    expect(await planFor([api, workers])).toMatchObject({ changed: false, steps: [], unchanged: ["api", "workers"] });
    command("restart", "api");
    command("reload", "workers");
    expect(stepsOf(await planFor([api, workers]))).toEqual([]);
  },
);

longTest("after `pm2 start`, PM2 runs what the file declares", async () => {
  const limited = { ...api, name: "by-pm2", cron_restart: "0 4 * * *", wait_ready: true, listen_timeout: 300 };
  const pair = { ...workers, name: "pair-by-pm2", max_restarts: 3, time: true, log_file: "all.log" };
  const apps = [api, workers, limited, pair];
  own.pm2Folder(apps);
  command("start", join(own.folder, "pm2/ecosystem.dev.config.cjs"), "--only", "by-pm2,pair-by-pm2");
  try {
    expect(stepsOf(await planFor(apps))).toEqual([]);
  } finally {
    command("delete", "by-pm2", "pair-by-pm2");
  }
});

describe("each change of the declaration is a step", () => {
  test.each<[string, object, string]>(
    firstOrAll([
      ["script", { script: "./other.cjs" }, "update api gap script different"],
      ["folder", { cwd: "elsewhere", script: "../idle.cjs" }, "cwd different"],
      ["interpreter", { interpreter: "python3" }, "interpreter different"],
      ["arguments", { args: ["x"] }, "update api gap args different"],
      ["removed arguments", { args: undefined }, "update api gap args different"],
      ["Node.js options", { node_args: ["--env-file=.env"] }, "update api gap interpreterArgs different"],
      ["added variable", { env: { ...api.env, NEW: "1" } }, "update api gap env NEW absent"],
      ["changed variable", { env: { ...api.env, MODE: "2" } }, "update api gap env MODE different"],
      ["removed variable", { env: { API_TOKEN: CANARY, MODE: "1" } }, "update api gap env DATABASE_URL stale"],
      ["memory limit", { max_memory_restart: "400M" }, "update api gap maxMemoryRestart different"],
      ["removed memory limit", { max_memory_restart: undefined }, "update api gap maxMemoryRestart different"],
      ["cron", { cron_restart: "0 4 * * *" }, "update api gap cronRestart different"],
      ["autorestart", { autorestart: false }, "update api gap autorestart different"],
      ["kill timeout", { kill_timeout: 6000 }, "update api gap killTimeout different"],
      ["listen timeout", { listen_timeout: 6000 }, "update api gap listenTimeout different"],
      ["ready signal", { wait_ready: true }, "update api gap waitReady different"],
      ["most restarts", { max_restarts: 3 }, "update api gap maxRestarts different"],
      ["back-off", { exp_backoff_restart_delay: 100 }, "update api gap expBackoffRestartDelay different"],
      ["log file", { out_file: "logs/new.log" }, "update api gap outFile different"],
      ["error log", { error_file: "logs/new.log" }, "update api gap errorFile different"],
      ["user", { uid: 1 }, "update api gap uid different"],
      ["namespace", { namespace: "other" }, "update api gap namespace different"],
      ["mode", { exec_mode: "cluster" }, "replace api gap execMode different"],
      ["watch", { watch: true }, "replace api gap watch different"],
    ]),
  )("%s", async (_what, change, step) => {
    const plan = await planFor([{ ...api, ...change }, workers]);
    expect(stepsOf(plan).join("\n")).toContain(step);
    expect(stepsOf(plan).at(-1)).toBe("save none");
    expect(plan.unchanged).toEqual(["workers"]);
  });

  longTest("instances", async () => {
    const plan = await planFor([api, { ...workers, instances: 4 }]);
    expect(stepsOf(plan)).toEqual(["scale workers none instances different", "save none"]);
    expect(plan.steps[0]).toMatchObject({ instances: { from: 2, to: 4 } });
  });

  longTest("an app in a cluster is reloaded, and loses no request", async () => {
    const { steps } = await planFor([api, { ...workers, args: "x" }]);
    expect(steps[0]).toMatchObject({ do: "update", method: "reload", disruption: "none" });
    expect(steps[0]?.pmIds).toHaveLength(2);
  });

  longTest("an app that is new is started, and an app that was removed from the file is named", async () => {
    const plan = await planFor([{ ...api, name: "fresh" }, workers]);
    expect(stepsOf(plan)).toEqual(["start fresh none app missing", "save none"]);
    expect(plan.undeclared).toMatchObject([{ name: "api" }]);
  });

  longTest.each([
    ["idle.cjs", `${IDLE}\n// changed\n`, /code (?:stale|different)/],
    [".env", "SECRET=other\n", /values SECRET different/],
  ])("%s whose content changed after the start, until it is as before", async (name, changed, step) => {
    const path = join(own.folder, name);
    const before = readFileSync(path, "utf8");
    expect(stepsOf(await planFor([api, workers]))).toEqual([]);
    writeFileSync(path, changed);
    expect(stepsOf(await planFor([api, workers])).join("\n")).toMatch(step);
    writeFileSync(path, before);
    expect(stepsOf(await planFor([api, workers]))).toEqual([]);
  });
});

longTest("two svcm processes compute the same plan, and another declaration has another id", async () => {
  const changed = [{ ...api, kill_timeout: 6000 }, workers];
  const plan = await planFor(changed);
  expect(plan.id).toMatch(/^[0-9a-f]{4}-[0-9a-f]{4}$/);
  expect(await planFor(changed, own.ports())).toEqual(plan);
  expect((await planFor([{ ...api, kill_timeout: 6001 }, workers])).id).not.toBe(plan.id);
});

longTest("the id of the plan stays the same after a restart of a process", async () => {
  const changed = [{ ...api, kill_timeout: 6000 }, workers];
  const { id } = await planFor(changed);
  command("restart", "api");
  expect((await planFor(changed)).id).toBe(id);
});

longTest("an app that a user stopped is missing in drift, and resumed only if a plan names it", async () => {
  command("stop", "api");
  try {
    const plan = await planFor([api, workers]);
    expect([stepsOf(plan), plan.held]).toMatchObject([[], [{ name: "api", state: "stopped" }]]);
    const { drift } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
    expect(drift).toMatchObject([{ name: "api", field: "app", running: "stopped", state: "missing" }]);
    const named = await execute(rolloutPlan, ports, { environment: "dev", apps: ["api"] }, caller);
    expect(stepsOf(named)).toEqual(["resume api none app stopped", "save none"]);
  } finally {
    command("restart", "api");
  }
});

longTest(
  "a plan contains no value of an env file, a variable or an argument, and only its owner can read the key",
  async () => {
    const plan = await planFor([
      { ...api, args: [`${CANARY}-2`], env: { API_TOKEN: `${CANARY}-3` }, node_args: [] },
      workers,
    ]);
    expect(stepsOf(plan)[0]).toContain("env API_TOKEN different");
    expect(JSON.stringify(plan)).not.toContain(CANARY);
    const key = join(own.home, "svcm/key");
    expect([statSync(key).mode & 0o777, statSync(join(own.home, "svcm")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readFileSync(key)).toHaveLength(32);
  },
);

test("drift names the variable without a value that a name is made of, as the plan does", async () => {
  own.pm2Folder([api, workers, { ...api, name: "NAME" }]);
  const file = join(own.folder, "pm2/ecosystem.dev.config.cjs");
  writeFileSync(file, readFileSync(file, "utf8").replace('"NAME"', "`${process.env.NO_SUCH_TEAM}-api`"));
  const { issues, missingExpected } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect(missingExpected).toEqual(["undefined-api"]);
  const plan = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  expect(issues).toMatchObject([{ code: "ECOSYSTEM_FIELD_UNSET", message: expect.stringContaining("NO_SUCH_TEAM") }]);
  expect(plan.issues).toMatchObject([{ code: "ECOSYSTEM_FIELD_UNSET" }]);
});
