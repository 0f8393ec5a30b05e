/** A restart or reload with a declaration: the process itself and PM2's whole record are those of a new process. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, processAct, type Caller, type Ports } from "../../src/core/index.ts";
import { appeared } from "../support/appeared.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { rawList } from "../support/raw-list.ts";

let own: Pm2;
let ports: Ports;
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };

/** Writes what the process was given beside its script, by its pid, and calls itself ready. */
const TELL = (mark: string): string => `
const { argv, execArgv, env, execPath } = process;
const told = { mark: ${JSON.stringify(mark)}, argv: argv.slice(2), execArgv, env, execPath: process.argv0, cwd: process.cwd() };
const { renameSync, writeFileSync } = require("node:fs");
const path = ${JSON.stringify("FOLDER")} + "/told-" + process.pid;
writeFileSync(path + ".new", JSON.stringify(told));
renameSync(path + ".new", path);
process.send("ready");
setInterval(() => {}, 1e6);`;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  mkdirSync(join(own.folder, "elsewhere"));
  symlinkSync(process.execPath, join(own.folder, "another-node"));
  for (const mark of ["first", "second"])
    writeFileSync(join(own.folder, `${mark}.cjs`), TELL(mark).replace("FOLDER", own.folder));
});
afterAll(() => own.end());

const few = { script: "./first.cjs", env: { KEPT: "1" } };
const many = () => ({
  script: join(own.folder, "second.cjs"),
  cwd: join(own.folder, "elsewhere"),
  args: ["--flag", "two words"],
  node_args: ["--no-warnings"],
  namespace: "other",
  max_memory_restart: "300M",
  cron_restart: "0 0 1 1 *",
  autorestart: false,
  kill_timeout: 4000,
  listen_timeout: 5000,
  wait_ready: true,
  max_restarts: 3,
  min_uptime: "5s",
  restart_delay: 100,
  stop_exit_codes: [3, 4],
  treekill: false,
  out_file: "./logs/out.log",
  error_file: "./logs/error.log",
  log_file: "./logs/all.log",
  time: true,
  vizion: false,
  env: { KEPT: "2", ADDED: "yes", lower_case: "yes", NUMBER: 5, LIST: ["a"] },
});

/** Members of PM2's record that belong to one run, or to the place of the process in the list. */
const VOLATILE =
  /^(?:pm_id|pm_uptime|created_at|unique_id|restart_time|unstable_restarts|name|status|version|versioning|vizion_running|exit_code|NODE_APP_INSTANCE|axm_\w+|_tree_pids|username|node_version|filter_env|watch|instances|prev_restart_delay)$/;

/** PM2's record of the processes of an app, without names, numbers and what belongs to one run. */
async function recordsOf(name: string): Promise<unknown[]> {
  const list = await rawList(own.home);
  return list
    .filter((listed) => listed.name === name)
    .map(({ pm_id, pm2_env }) => {
      const kept = (values: object): [string, unknown][] =>
        Object.entries(values).filter(([key]) => !VOLATILE.test(key) && key !== name);
      const { env, ...root } = pm2_env;
      const text = JSON.stringify({ ...Object.fromEntries(kept(root)), env: Object.fromEntries(kept(env as object)) });
      const record = text.replaceAll(`${name}-`, "APP-").replaceAll(`-${pm_id}.`, "-ID.");
      return JSON.parse(record) as unknown;
    });
}

interface Told {
  readonly mark: string;
  readonly argv: string[];
  readonly execArgv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** Resolves when the present process has written it. */
async function told(id: number): Promise<Told> {
  const pid = (await ports.processes.list()).find(({ pmId }) => pmId === id)?.pid;
  const path = join(own.folder, `told-${pid}`);
  await appeared(path);
  return JSON.parse(readFileSync(path, "utf8")) as Told;
}

const act = (action: "start" | "restart" | "reload", name: string) =>
  execute(processAct, ports, { action, scope: "ecosystem", name, environment: "dev" }, caller);

/** Declares two apps alike: one that exists, and one that is new. */
function declare(name: string, fields: object): void {
  own.pm2Folder([name, `${name}-fresh`].map((one) => ({ name: one, ...fields })));
}

test.each([
  ["fork", "restart", {}, { interpreter: "another-node" }],
  ["fork", "reload", {}, {}],
  ["cluster", "reload", { exec_mode: "cluster", instances: 2 }, {}],
  ["cluster", "restart", { exec_mode: "cluster", instances: 1, merge_logs: true }, {}],
] as const)("in %s mode, a %s makes the whole declaration effective", async (mode, action, fixed, more) => {
  const name = `${mode}-${action}`;
  declare(name, { ...few, ...fixed });
  await act("start", name);
  const ids = (await ports.processes.list()).filter((record) => record.name === name).map(({ pmId }) => pmId);

  const interpreter = "interpreter" in more ? { interpreter: join(own.folder, more.interpreter) } : {};
  const changed = { ...many(), ...fixed, ...interpreter };
  declare(name, changed);
  const { warnings, affected } = await act(action, name);
  expect(warnings).toEqual([]);
  expect(affected.map(({ pmId }) => pmId)).toEqual(ids);
  for (const pmId of ids) {
    const { mark, argv, execArgv, cwd, env } = await told(pmId);
    expect({ mark, argv, cwd }).toEqual({ mark: "second", argv: ["--flag", "two words"], cwd: changed.cwd });
    expect(execArgv).toContain("--no-warnings");
    expect(env).toMatchObject({ KEPT: "2", ADDED: "yes", lower_case: "yes", NUMBER: "5", LIST: '["a"]' });
  }
  await act("start", `${name}-fresh`);
  expect(await recordsOf(name)).toEqual(await recordsOf(`${name}-fresh`));

  declare(name, { ...few, ...fixed });
  expect((await act(action, name)).warnings).toEqual([]);
  await act(action, `${name}-fresh`);
  for (const pmId of ids) {
    const { mark, argv, execArgv, cwd, env } = await told(pmId);
    expect({ mark, argv, cwd }).toEqual({ mark: "first", argv: [], cwd: own.folder });
    expect(execArgv).not.toContain("--no-warnings");
    expect(env).toMatchObject({ KEPT: "1" });
    for (const key of ["ADDED", "lower_case", "NUMBER", "LIST"]) expect(env).not.toHaveProperty(key);
  }
  declare(`${name}-new`, { ...few, ...fixed });
  await act("start", `${name}-new`);
  expect(await recordsOf(name)).toEqual(await recordsOf(`${name}-new`));
});

test("a variable of the shell that started the app stays, and the one that left the file goes", async () => {
  const env = { FROM_SHELL: "kept", SVC_MODE: "old", PM2_USAGE: "CLI" };
  await own.run({ name: "shell", script: join(own.folder, "first.cjs"), env });
  own.pm2Folder([{ name: "shell", ...few }]);
  await act("restart", "shell");
  const shell = (await ports.processes.list()).find(({ name }) => name === "shell");
  const given = (await told(shell!.pmId)).env;
  expect(given).toMatchObject({ FROM_SHELL: "kept", KEPT: "1" });
  expect(given).not.toHaveProperty("SVC_MODE");
});

test("a declaration that PM2 cannot resolve changes nothing, and the refusal holds no value", async () => {
  const canary = "canary-71c2";
  own.pm2Folder([{ name: "broken", ...few }]);
  await act("start", "broken");
  const before = await recordsOf("broken");
  own.pm2Folder([
    { name: "broken", script: "./first.cjs", interpreter: "no-such-program", env: { KEY: canary }, args: canary },
  ]);
  const refusal = await act("restart", "broken").catch(
    (error: unknown) => error as { body: { code: string; details: string } },
  );
  expect(refusal).toMatchObject({ kind: "PM2_FAILED", body: { code: "PM2_ACTION_FAILED" } });
  expect(JSON.stringify(refusal)).not.toContain(canary);
  expect(await recordsOf("broken")).toEqual(before);
});
