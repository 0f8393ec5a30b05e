/** Each kind of change with a real PM2: the plan names it, an apply makes it, and the next plan is empty. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute, rolloutApply, rolloutPlan, type Ports } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { canBeNobody, NOBODY } from "../support/machine.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { temporaryFolder, whenTestsOver } from "../support/temporary-folder.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let ports: Ports;
/** Outside the folder of the app, where a report could be new code. */
let reports: string;
const whenOver = whenTestsOver();

/** The app records its arguments and environment. In a cluster, PM2 passes them as one variable. */
const TELL = (mark: string): string => `
const { argv, argv0, env, execArgv } = process;
const { env: _, ...record } = env.pm2_env ? JSON.parse(env.pm2_env) : env;
const report = { mark: "${mark}", args: argv.slice(2), argv0, execArgv, cwd: process.cwd(), uid: process.getuid(), record,
  env: Object.fromEntries(Object.entries(env).filter(([key]) => key.startsWith("K_"))) };
const { renameSync, writeFileSync } = require("node:fs");
const path = "${reports}/" + process.pid;
writeFileSync(path + ".new", JSON.stringify(report));
renameSync(path + ".new", path);
console.log("out");
console.error("err");
require("node:http").createServer().listen(0, "127.0.0.1", () => process.send?.("ready"));`;

interface Report {
  readonly mark: string;
  readonly args: readonly string[];
  readonly argv0: string;
  readonly execArgv: readonly string[];
  readonly cwd: string;
  readonly uid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly record: Readonly<Record<string, unknown>>;
}

const at = (name: string): string => join(own.folder, name);

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  reports = temporaryFolder(whenOver);
  for (const folder of ["elsewhere", "watched"]) mkdirSync(at(folder));
  chmodSync(own.folder, 0o755);
  chmodSync(reports, 0o777);
  symlinkSync(process.execPath, at("another-node"));
  for (const mark of ["first", "second"]) {
    writeFileSync(at(`${mark}.cjs`), TELL(mark));
    utimesSync(at(`${mark}.cjs`), 1e9, 1e9);
  }
  for (const name of ["one", "two"]) writeEnvFile(name, `K_FILE=${name}\n`);
  writeFileSync(at("deployments.yaml"), "rollout: { minHealthyTime: 50ms }");
});
afterAll(() => own.end());

/** Older than every process, so the file has not changed since their start. */
function writeEnvFile(name: string, text: string): void {
  writeFileSync(at(`${name}.env`), text);
  utimesSync(at(`${name}.env`), 1e9, 1e9);
}

const plan = () => execute(rolloutPlan, ports, { environment: "dev" }, caller);

async function apply(app: object): Promise<void> {
  own.pm2Folder([{ name: "app", script: "./first.cjs", ...app }]);
  await execute(rolloutApply, ports, { environment: "dev", prune: true }, caller);
}

async function readReports(): Promise<Report[]> {
  const records = await ports.processes.list();
  return Promise.all(
    records.map(async ({ pid }) => {
      const path = join(reports, String(pid));
      await waitForFile(path);
      return JSON.parse(readFileSync(path, "utf8")) as Report;
    }),
  );
}

interface Change {
  readonly from?: object;
  readonly to: object;
  /** Runs between the two declarations. */
  readonly edit?: () => void;
  readonly as: string;
  readonly is: (process: Report) => unknown;
  readonly now: unknown;
  readonly only?: "fork";
}

const env = { K_KEPT: "1" };
const kept = (field: string, value: unknown, now = value): Change => ({
  to: { [field]: value },
  as: field.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  is: ({ record }) => String(record[field]),
  now: String(now),
});
const removed = (field: string, value: unknown, now: string): Change => {
  const { as, is } = kept(field, value);
  return { from: { [field]: value }, to: {}, as, is, now };
};
const withoutId = (path: unknown): string => String(path).replace(/-\d+\.log$/, ".log");

const changes: Readonly<Record<string, () => Change>> = {
  script: () => ({ to: { script: "./second.cjs" }, as: "script", is: ({ mark }) => mark, now: "second" }),
  folder: () => ({
    to: { cwd: "elsewhere", script: "../first.cjs" },
    as: "cwd",
    is: ({ cwd }) => cwd,
    now: at("elsewhere"),
  }),
  interpreter: () => ({
    to: { interpreter: at("another-node") },
    as: "interpreter",
    is: ({ argv0 }) => argv0,
    now: at("another-node"),
    only: "fork",
  }),
  "added arguments": () => ({ to: { args: "a b" }, as: "args", is: ({ args }) => args, now: ["a", "b"] }),
  "changed arguments": () => ({
    from: { args: "a" },
    to: { args: "b" },
    as: "args",
    is: ({ args }) => args,
    now: ["b"],
  }),
  "removed arguments": () => ({ from: { args: "a" }, to: {}, as: "args", is: ({ args }) => args, now: [] }),
  "changed options of Node.js": () => ({
    from: { node_args: "--no-warnings" },
    to: { node_args: "--no-deprecation" },
    as: "interpreterArgs",
    is: ({ execArgv }) => execArgv.filter((one) => one.startsWith("--no-")),
    now: ["--no-deprecation"],
  }),
  "removed options of Node.js": () => ({
    from: { node_args: "--no-warnings" },
    to: {},
    as: "interpreterArgs",
    is: ({ execArgv }) => execArgv.filter((one) => one.startsWith("--no-")),
    now: [],
  }),
  "an added variable": () => ({
    to: { env: { ...env, K_NEW: "2" } },
    as: "env",
    is: (one) => one.env,
    now: { ...env, K_NEW: "2" },
  }),
  "a changed variable": () => ({ to: { env: { K_KEPT: "2" } }, as: "env", is: (one) => one.env, now: { K_KEPT: "2" } }),
  "a removed variable": () => ({
    from: { env: { ...env, K_OLD: "1" } },
    to: { env },
    as: "env",
    is: (one) => one.env,
    now: env,
  }),
  "a changed env file": () => ({
    from: { node_args: `--env-file=${at("one.env")}` },
    to: { node_args: `--env-file=${at("one.env")}` },
    edit: () => writeFileSync(at("one.env"), "K_FILE=edited\n"),
    as: "values",
    is: (one) => one.env["K_FILE"],
    now: "edited",
  }),
  "a variable that left the env file": () => ({
    from: { node_args: `--env-file=${at("one.env")}` },
    to: { node_args: `--env-file=${at("one.env")}` },
    edit: () => writeFileSync(at("one.env"), ""),
    as: "values",
    is: (one) => one.env["K_FILE"],
    now: undefined,
  }),
  "another env file": () => ({
    from: { node_args: `--env-file=${at("one.env")}` },
    to: { node_args: `--env-file=${at("two.env")}` },
    as: "interpreterArgs",
    is: (one) => one.env["K_FILE"],
    now: "two",
  }),
  "a memory limit": () => kept("max_memory_restart", "300M", 300 * 2 ** 20),
  "a removed memory limit": () => removed("max_memory_restart", "300M", "undefined"),
  cron: () => kept("cron_restart", "0 0 1 1 *"),
  "removed cron": () => removed("cron_restart", "0 0 1 1 *", "undefined"),
  autorestart: () => kept("autorestart", false),
  "a kill timeout": () => kept("kill_timeout", 4000),
  "a removed kill timeout": () => removed("kill_timeout", 4000, "undefined"),
  "a listen timeout": () => kept("listen_timeout", 5000),
  "a ready signal": () => kept("wait_ready", true),
  "most restarts": () => kept("max_restarts", 3),
  "a back-off": () => kept("exp_backoff_restart_delay", 100),
  "a restart delay": () => kept("restart_delay", 100),
  "a least uptime": () => kept("min_uptime", 5000),
  namespace: () => kept("namespace", "other"),
  "a log": () => ({
    to: { out_file: "./logs/out.log" },
    as: "outFile",
    is: ({ record }) => withoutId(record["pm_out_log_path"]),
    now: at("logs/out.log"),
  }),
  "an error log": () => ({
    to: { error_file: "./logs/error.log" },
    as: "errorFile",
    is: ({ record }) => withoutId(record["pm_err_log_path"]),
    now: at("logs/error.log"),
  }),
  user: () => ({ to: { uid: NOBODY }, as: "uid", is: ({ uid }) => uid, now: NOBODY, only: "fork" }),
};

describe.each([
  ["fork", {}, 1],
  ["cluster", { exec_mode: "cluster", instances: 2 }, 2],
] as const)("in %s mode", (mode, fields, count) => {
  test.each(Object.entries(changes).map(([name, change]) => ({ name, change })))("$name", async ({ name, change }) => {
    const { from = {}, to, edit, as, is, now, only } = change();
    if (only !== undefined && only !== mode) return;
    if (name === "user" && !canBeNobody) return;
    for (const file of ["one", "two"]) writeEnvFile(file, `K_FILE=${file}\n`);
    await apply({ ...fields, env, ...from });
    // A look that takes too long on a busy machine records nothing.
    await expect.poll(async () => (await plan()).unknown).toEqual([]);
    edit?.();
    own.pm2Folder([{ name: "app", script: "./first.cjs", ...fields, env, ...to }]);
    const { steps } = await plan();
    expect(steps.flatMap(({ why }) => why.map(({ field }) => field))).toContain(as);
    await apply({ ...fields, env, ...to });
    expect((await readReports()).map(is)).toEqual(Array.from({ length: count }, () => now));
    expect((await plan()).steps).toEqual([]);
  });
});

test.each([
  ["from fork to cluster mode", {}, { exec_mode: "cluster" }, ["cluster_mode"]],
  ["from cluster to fork mode", { exec_mode: "cluster" }, {}, ["fork_mode"]],
  ["from two instances to three", { exec_mode: "cluster", instances: 2 }, { exec_mode: "cluster", instances: 3 }, 3],
  ["from three instances to one", { exec_mode: "cluster", instances: 3 }, { exec_mode: "cluster", instances: 1 }, 1],
] as const)("%s", async (_, from, to, now) => {
  await apply(from);
  await apply(to);
  const modes = (await readReports()).map(({ record }) => record["exec_mode"]);
  expect(typeof now === "number" ? modes.length : modes).toEqual(now);
  expect((await plan()).steps).toEqual([]);
});

test.each([
  ["in fork mode", {}],
  ["in cluster mode", { exec_mode: "cluster" }],
])("a changed file restarts a process only while its folder is declared as watched %s", async (_, mode) => {
  await apply(mode);
  await apply({ ...mode, watch: ["watched"] });
  const [before] = await ports.processes.list();
  writeFileSync(at("watched/file"), "");
  await expect.poll(async () => (await ports.processes.list())[0]?.pid, { timeout: 20_000 }).not.toBe(before?.pid);
  await apply(mode);
  expect((await ports.processes.list()).map(({ watching }) => watching)).toEqual([false]);
  expect((await plan()).steps).toEqual([]);
});

test("PM2 writes to the log of an apply", async () => {
  await apply({});
  await apply({ out_file: "./logs/later.log", merge_logs: true });
  await expect.poll(() => readFileSync(at("logs/later.log"), "utf8")).toContain("out\n");
});
