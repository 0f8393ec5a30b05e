import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { describeError, ecosystemDrift, execute, processAct, type Ports } from "../../src/core/index.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read", "write"] } as const;
type Input = Parameters<typeof processAct.run>[1];
let own: Pm2;
let ports: Ports;
let file: string;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = withQuickClock(own.ports());
  mkdirSync(join(own.folder, "pm2"));
  file = join(own.folder, "pm2/ecosystem.dev.config.cjs");
  writeFileSync(join(own.folder, "idle.cjs"), IDLE);
});
afterAll(() => own.end());
beforeEach(() => rmSync(file, { force: true }));

async function environmentOf(name: string): Promise<Record<string, string>> {
  const { pid } = (await ports.processes.list()).find((record) => record.name === name)!;
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** Writes the file of `dev`: one app with these fields, as JavaScript. */
function declare(name: string, fields: string): void {
  writeFileSync(file, `module.exports = { apps: [{ name: "${name}", script: "./idle.cjs", ${fields} }] };`);
}

const act = (action: "start" | "restart", name: string) =>
  execute(processAct, ports, { action, scope: "ecosystem", name, environment: "dev" }, caller);

async function driftOf(name: string): Promise<string[]> {
  const { drift } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  return drift.filter((entry) => entry.name === name).map(({ field, key, state }) => [field, key, state].join(" "));
}

const code = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: { body: { code: string; details: string } }) => `${error.body.code}: ${error.body.details}`,
  );

const FROM_SHELL =
  "env: { DATABASE_URL: process.env.DATABASE_URL, LOG_LEVEL: process.env.LOG_LEVEL, MODE: 'new', NUMBER: 5 }";

longTest("a running process keeps a variable without a value, and the result names it", async () => {
  declare("kept", FROM_SHELL);
  const env = { DATABASE_URL: "postgres://u:p@h/d", LOG_LEVEL: "info", MODE: "old" };
  await own.run({ name: "kept", script: join(own.folder, "idle.cjs"), env });
  const { warnings } = await act("restart", "kept");
  expect(await environmentOf("kept")).toMatchObject({ ...env, MODE: "new", NUMBER: "5" });
  expect(warnings).toMatchObject([{ code: "PROCESS_VARIABLE_UNSET", path: ["apps", "kept"], severity: "warning" }]);
  expect(warnings[0]!.message).toContain("DATABASE_URL, LOG_LEVEL have no value");
});

longTest("a started process does not get a variable without a value, and the result names it", async () => {
  declare("bare", FROM_SHELL);
  const { warnings } = await act("start", "bare");
  const env = await environmentOf("bare");
  expect(env).toMatchObject({ MODE: "new" });
  expect(env).not.toHaveProperty("DATABASE_URL");
  expect(env).not.toHaveProperty("LOG_LEVEL");
  expect(warnings.map((warning) => warning.code)).toEqual(["PROCESS_VARIABLE_UNSET"]);
});

longTest(
  "a key that was removed from the file is removed from the process at the next restart, and the result names it",
  async () => {
    declare("stays", "env: { SVC_A: '1', SVC_B: '1' }");
    expect((await act("start", "stays")).warnings).toEqual([]);
    declare("stays", "env: { SVC_A: '2' }");
    expect(await driftOf("stays")).toEqual(["env SVC_A different", "env SVC_B stale"]);
    expect((await act("start", "stays")).warnings.map((warning) => `${warning.code}: ${warning.message}`)).toEqual([
      "PROCESS_VARIABLE_STAYED: SVC_B stayed in the process: the file no longer declares it. To apply the file: svcm restart stays --ecosystem",
      "PROCESS_FIELD_NOT_APPLIED: stays still runs with another env SVC_A. To apply the file: svcm restart stays --ecosystem",
    ]);
    const { applied, warnings } = await act("restart", "stays");
    const env = await environmentOf("stays");
    expect(env).toMatchObject({ SVC_A: "2" });
    expect(env).not.toHaveProperty("SVC_B");
    expect(warnings).toEqual([]);
    expect(applied).toEqual([
      { name: "stays", field: "env", key: "SVC_A" },
      { name: "stays", field: "env", key: "SVC_B" },
    ]);
    expect(await driftOf("stays")).toEqual([]);
  },
);

longTest("a key with any name that was removed from the file is removed from a process that svcm started", async () => {
  declare("plain", "env: { LOG_LEVEL: 'info', http_proxy: 'http://proxy', MODE: '1' }");
  await act("start", "plain");
  expect(await driftOf("plain")).toEqual([]);
  declare("plain", "env: { MODE: '2' }");
  expect(await driftOf("plain")).toEqual(["env LOG_LEVEL stale", "env MODE different", "env http_proxy stale"]);
  await act("restart", "plain");
  const env = await environmentOf("plain");
  expect(env).toMatchObject({ MODE: "2", HOME: own.folder });
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(["LOG_LEVEL"]));
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(["http_proxy"]));
  expect(await driftOf("plain")).toEqual([]);
});

longTest("drift compares the environment of the process, also after PM2 itself has applied the file", async () => {
  declare("reloaded", "env: { SVC_HTTP_PORT: '4100', SVC_X: '1', no_proxy: '*' }");
  await act("start", "reloaded");
  declare("reloaded", "env: { SVC_HTTP_PORT: '4100' }");
  expect(await driftOf("reloaded")).toEqual(["env SVC_X stale", "env no_proxy stale"]);
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  execFileSync(process.execPath, [PM2, "reload", file], { env, cwd: own.folder, stdio: "ignore" });
  expect(await environmentOf("reloaded")).toMatchObject({ SVC_X: "1", no_proxy: "*" });
  expect(await driftOf("reloaded")).toEqual(["env SVC_X stale", "env no_proxy stale"]);
  await act("restart", "reloaded");
  expect(Object.keys(await environmentOf("reloaded"))).not.toContain("SVC_X");
  expect(await driftOf("reloaded")).toEqual([]);
});

longTest("a Python app under PM2 shows no drift, after one start and after two", async () => {
  const interpreter = join(own.folder, "python3");
  symlinkSync(process.execPath, interpreter);
  declare("snake", `interpreter: ${JSON.stringify(interpreter)}, env: { MODE: '1' }`);
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  for (const _ of ["first", "second"]) {
    execFileSync(process.execPath, [PM2, "start", file], { env, cwd: own.folder, stdio: "ignore" });
    expect(await environmentOf("snake")).toMatchObject({ MODE: "1", PYTHONUNBUFFERED: "1" });
    expect(await driftOf("snake")).toEqual([]);
  }
});

longTest(
  "an app without cwd keeps the folder of its first start and does not drift; a declared cwd is compared",
  async () => {
    const elsewhere = join(own.folder, "elsewhere");
    mkdirSync(elsewhere);
    const script = JSON.stringify(join(own.folder, "idle.cjs"));
    const write = (more: string): void =>
      writeFileSync(file, `module.exports = { apps: [{ name: "roaming", script: ${script}, ${more} }] };`);
    const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
    const pm2Start = (cwd: string): unknown => execFileSync(process.execPath, [PM2, "start", file], { env, cwd });
    const folder = async (): Promise<unknown> =>
      (await ports.processes.list()).find(({ name }) => name === "roaming")?.cwd;
    write("");
    pm2Start(elsewhere);
    expect(await driftOf("roaming")).toEqual([]);
    pm2Start(own.folder);
    expect(await folder()).toBe(elsewhere);
    expect(await driftOf("roaming")).toEqual([]);
    write(`cwd: ${JSON.stringify(own.folder)}`);
    expect(await driftOf("roaming")).toEqual(["cwd  different"]);
    await act("restart", "roaming");
    expect([await folder(), await driftOf("roaming")]).toEqual([own.folder, []]);
  },
);

longTest(
  "a restart names the declared fields that it applied, and those that PM2 applies only to a new process",
  async () => {
    declare("fields", "args: 'one', env: { MODE: '1' }");
    await act("start", "fields");
    declare(
      "fields",
      "args: 'two', namespace: 'other', watch: ['src'], instances: 2, exec_mode: 'fork', env: { MODE: '2' }",
    );
    const { applied, warnings } = await act("restart", "fields");
    expect(await environmentOf("fields")).toMatchObject({ MODE: "2" });
    expect(applied?.map(({ field, key }) => key ?? field)).toEqual(["args", "MODE", "namespace"]);
    expect(warnings.map((warning) => `${warning.code}: ${warning.message}`)).toEqual([
      "PROCESS_FIELD_NOT_APPLIED: fields still runs with another watch. PM2 applies that to a new process: svcm delete fields, then svcm start fields --ecosystem",
      "PROCESS_FIELD_NOT_APPLIED: fields runs with 1 instance, and the file declares 2. To change that: svcm scale fields 2",
    ]);
  },
);

longTest("an app with a block for the environment is not run without it", async () => {
  declare("blocks", "env: { NODE_ENV: 'x' }, env_dev: { NODE_ENV: 'development' }");
  const refusal = await act("start", "blocks").catch((error: unknown) => describeError(error));
  expect(refusal).toMatchObject({ status: 409, exitCode: 3, body: { error: "Process action refused." } });
  expect(await code(act("start", "blocks"))).toMatch(/^ECOSYSTEM_ENV_BLOCK_UNUSED: .*env_dev.*pm2 start --env dev/);
  declare("blocks", "env: { NODE_ENV: 'x' }, env_production: { NODE_ENV: 'production' }");
  expect(await code(act("start", "blocks"))).toBe("done");
  declare("blocks", "env: { NODE_ENV: 'x' }, env_dev: { NODE_ENV: 'development' }");
  expect(await code(act("restart", "blocks"))).toBe("done");
  declare("blocks", "env: { NODE_ENV: 'y' }, env_dev: { NODE_ENV: 'development' }");
  expect(await code(act("restart", "blocks"))).toMatch(/^ECOSYSTEM_ENV_BLOCK_UNUSED: /);
});

longTest(
  "an app whose folder does not exist is refused immediately, and none of its processes is started",
  async () => {
    const folder = join(own.folder, "release");
    mkdirSync(folder);
    writeFileSync(join(folder, "idle.cjs"), IDLE);
    declare("folder", `cwd: ${JSON.stringify(folder)}`);
    expect(await code(act("start", "folder"))).toBe("done");
    expect(await driftOf("folder")).toEqual([]);
    rmSync(folder, { recursive: true });
    const pid = (await ports.processes.list()).find(({ name }) => name === "folder")?.pid;
    expect(await driftOf("folder")).toEqual(["code  absent", "cwd  absent"]);
    expect(await code(act("restart", "folder"))).toBe(
      `PROCESS_FOLDER_MISSING: The app "folder" runs in the folder ${folder}, which does not exist.`,
    );
    const refusal = await act("restart", "folder").catch((error: unknown) => describeError(error));
    expect(refusal).toMatchObject({ status: 409, exitCode: 3, body: { code: "PROCESS_FOLDER_MISSING" } });
    const plain = execute(processAct, ports, { action: "restart", name: "folder" }, caller);
    expect(await code(plain)).toContain(`PROCESS_FOLDER_MISSING: The process "folder" runs in the folder ${folder}`);
    expect((await ports.processes.list()).find(({ name }) => name === "folder")?.pid).toBe(pid);
  },
);

longTest("without a name, an app that cannot run does not prevent the others, and the refusal names it", async () => {
  const gone = join(own.folder, "gone");
  writeFileSync(
    file,
    `module.exports = { apps: [
      { name: "good-1", script: "./idle.cjs" },
      { name: "bad", script: "./idle.cjs", cwd: ${JSON.stringify(gone)} },
      { name: "good-2", script: "./idle.cjs" },
    ] };`,
  );
  const every = (action: "start" | "restart") =>
    execute(processAct, ports, { action, scope: "ecosystem", environment: "dev" }, caller);
  const started = await code(every("start"));
  expect(started).toContain(
    `PROCESS_FOLDER_MISSING: The start of 1 of 3 failed. bad: The app "bad" runs in the folder`,
  );
  expect(started).toMatch(/Succeeded: good-\d \(id \d+\), good-\d \(id \d+\)\.$/);
  const names = (await ports.processes.list()).map(({ name, status }) => `${name} ${status}`);
  expect(names).toEqual(expect.arrayContaining(["good-1 online", "good-2 online"]));
  expect(names.filter((name) => name.startsWith("bad"))).toEqual([]);
  expect(await code(every("restart"))).toMatch(/^PROCESS_FOLDER_MISSING: The restart of 1 of 3 failed\. bad: /);
  // If apps are named, one refusal applies to all of them.
  const named: Input = { action: "restart", scope: "ecosystem", environment: "dev", names: ["good-1", "bad"] };
  expect(await code(execute(processAct, ports, named, caller))).toMatch(/^PROCESS_FOLDER_MISSING: The app "bad"/);
});

longTest("the ecosystem file of an action runs only in the limited process", async () => {
  const marker = join(own.folder, "ran-in-a-thread");
  const prefix = `if (!require("node:worker_threads").isMainThread) require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");`;
  writeFileSync(file, `${prefix} module.exports = { apps: [{ name: "apart", script: "./idle.cjs" }] };`);
  await act("start", "apart");
  await act("restart", "apart");
  expect(existsSync(marker)).toBe(false);
});
