import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import pm2Package from "pm2/package.json" with { type: "json" };
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { asNobody, canBeNobody, canMount } from "../support/machine.ts";
import { pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-51ab";
let own: Pm2;
let daemon: Daemon;

beforeAll(async () => {
  own = pm2();
  const file = (name: string, text: string): void => writeFileSync(join(own.folder, name), text);
  file("idle.cjs", "setInterval(() => {}, 1e6);");
  file(".env", `API_TOKEN=${CANARY}\n`);
  file(
    "svcm.yaml",
    "version: 1\nenvironments: { dev: [] }\necosystem: { dev: ecosystem.config.cjs }\nenv: { dev: .env }\nkeys: { API_TOKEN: { kind: secret } }\n",
  );
  file("ecosystem.config.cjs", 'module.exports = { apps: [{ name: "api", script: "./idle.cjs" }] };');
  daemon = await own.startDaemon({ REGISTRY_TOKEN: CANARY });
  await own.run({ name: "api", env: { DB_PASSWORD: CANARY } });
});
afterAll(() => own.end());

interface Answer {
  readonly facts: { readonly daemon: unknown };
  readonly issues: readonly { readonly code: string; readonly message: string; readonly path: readonly unknown[] }[];
}

async function running(): Promise<Answer & { readonly found: string[] }> {
  const { stdout, stderr } = await svcm(["doctor", "--json"], { root: own.folder, env: { PM2_HOME: own.home } });
  expect(stderr).toBe("");
  expect(stdout).not.toContain(CANARY);
  const answer = JSON.parse(stdout) as Answer;
  const ofRunning = answer.issues.filter(({ path }) => path[0] === "running");
  return { ...answer, found: ofRunning.map(({ code, message }) => `${code} ${message}`) };
}

test("the daemon is reported with its version, pid and owner", async () => {
  const { facts } = await running();
  expect(facts.daemon).toEqual({ version: pm2Package.version, pid: daemon.pid, owner: userInfo().username });
});

test("apps that run without an ecosystem file are named, with what they need", async () => {
  const folder = join(own.folder, "bare");
  mkdirSync(folder);
  writeFileSync(join(folder, "svcm.yaml"), "version: 1\nenvironments: { dev: [] }\n");
  await own.run({ name: "plain", cwd: folder });
  const { stdout } = await svcm(["doctor"], { root: folder, env: { PM2_HOME: own.home } });
  expect(stdout).toContain(
    "plain runs without an ecosystem file, so plan, apply and drift leave it out PROJECT_APPS_UNDECLARED\n    Next step: Declare",
  );
  writeFileSync(
    join(folder, "ecosystem.config.js"),
    'module.exports = { apps: [{ name: "plain", script: "idle.cjs" }] };',
  );
  const after = await svcm(["doctor"], { root: folder, env: { PM2_HOME: own.home } });
  expect(after.stdout).not.toContain("PROJECT_APPS_UNDECLARED");
});

test.skipIf(!canMount)("a PM2_HOME that this user cannot write is reported", () => {
  const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
  const argv = ["--mount", "sh", "-c", script, own.home, process.execPath, RUN, "doctor", "--json"];
  const env = plainEnvironment({ HOME: own.folder, PM2_HOME: own.home });
  const { status, stdout } = spawnSync("unshare", argv, { cwd: own.folder, env, encoding: "utf8" });
  const { issues } = JSON.parse(stdout) as Answer;
  const message = `this user cannot write to ${own.home} (EROFS), so svcm starts, stops and changes no app here`;
  expect(status).toBe(1);
  expect(issues).toContainEqual(expect.objectContaining({ code: "PM2_HOME_UNUSABLE", severity: "error", message }));
});

longTest("a process that started before its env file changed is reported", async () => {
  const env = join(own.folder, ".env");
  utimesSync(env, new Date(2020, 1, 1), new Date(2020, 1, 1));
  expect((await running()).found).toEqual([]);
  utimesSync(env, new Date(2100, 1, 1), new Date(2100, 1, 1));
  expect((await running()).found).toEqual(["PROCESS_ENV_FILE_NEWER api (id 0): .env was changed after it started"]);
  utimesSync(env, new Date(2020, 1, 1), new Date(2020, 1, 1));
});

longTest("a process whose folder is missing is reported", async () => {
  const folder = join(own.folder, "gone");
  mkdirSync(folder);
  await own.run({ name: "lost", cwd: folder });
  rmSync(folder, { recursive: true });
  expect((await running()).found).toEqual([expect.stringMatching(/^PROCESS_FOLDER_MISSING lost \(id 1\): .*gone/)]);
});

longTest.skipIf(!canBeNobody)("a daemon of another user is reported with its owner", () => {
  chmodSync(own.folder, 0o755);
  const [program, ...argv] = [...asNobody, process.execPath, RUN, "doctor", "--json"];
  const env = plainEnvironment({ HOME: own.folder, PM2_HOME: own.home });
  const { status, stdout } = spawnSync(program, argv, { cwd: own.folder, env, encoding: "utf8" });
  const { facts, issues } = JSON.parse(stdout) as Answer;
  expect(status).toBe(1);
  expect(facts.daemon).toMatchObject({ version: null, owner: userInfo().username });
  expect(issues).toContainEqual(expect.objectContaining({ code: "EACCES", severity: "error" }));
  expect(stdout).not.toContain(CANARY);
});

longTest("a secret of the shell that started the daemon is named, and a worker of a cluster has it", async () => {
  await own.run({ name: "worker", exec_mode: "cluster" });
  const { processes } = own.ports();
  await processes.saveList();
  const worker = (await processes.list()).find(({ name }) => name === "worker");
  expect(readFileSync(`/proc/${worker?.pid}/environ`, "utf8")).toContain(`REGISTRY_TOKEN=${CANARY}`);
  const { issues } = await running();
  expect(issues.filter(({ code }) => code === "DAEMON_SECRETS").map(({ message }) => message)).toEqual([
    `PM2's daemon, pid ${daemon.pid}, was started with REGISTRY_TOKEN, and gives that to each app in cluster mode that does not declare it`,
  ]);
});
