import { createConnection } from "node:net";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished } from "vitest";
import { execute, processShow, type Caller, type ProcessShowResponse } from "../../src/core/index.ts";
import { processShowBody } from "../../src/core/api/events.ts";
import { serverOver } from "../console/monitoring-page.ts";
import { ask } from "../server/support.ts";
import { endsWith } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-Hx2-77ab10c4";
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "logs"] };

const { own, ports } = runningPm2();

beforeAll(async () => {
  const code = `const server = require("node:net").createServer(() => { for (;;); }).listen(0, "127.0.0.1", () => {
      require("node:fs").writeFileSync(__dirname + "/port", String(server.address().port));
      process.send("ready");
    });
    process.on("SIGUSR2", () => { ${endsWith('"password=" + process.env.DB_PASSWORD', 5)} });`;
  writeFileSync(join(own.folder, "serves.cjs"), code);
  const env = { DB_PASSWORD: CANARY, SVC_HTTP_FRAMEWORK: "express" };
  const app = { name: "serves", script: "./serves.cjs", wait_ready: true, listen_timeout: 20_000, env };
  own.pm2Folder([{ ...app, args: `--token=${CANARY}`, max_memory_restart: "900M", cron_restart: "0 3 1 1 *" }]);
  await own.startDeclared("serves");
});

const show = (name = "serves"): Promise<ProcessShowResponse> =>
  execute(processShow, ports, { name, environment: "dev" }, caller);
const port = async (): Promise<number> => (await show()).processes[0]?.ports?.[0]?.port ?? 0;

longTest(
  "svcm show has the port of the process, its restart rules, its declaration, and variable names with tiers",
  async () => {
    const response = await show();
    const [process] = response.processes;
    expect(process).toMatchObject({ status: "online", ports: [{ address: "127.0.0.1", waiting: 0 }], problem: null });
    expect(process?.next.join(" ")).toMatch(
      /^PM2 starts it again after an end\. PM2 restarts it above 900\.0 MiB; it uses .* Its schedule 0 3 1 1 \* restarts it: next 20\d\d-01-01 03:00 \S+\.$/,
    );
    expect(response.declaration).toMatchObject({ isDeclared: true, drift: [] });
    expect(response.env).toContainEqual({ key: "SVC_HTTP_FRAMEWORK", tier: "editable" });
    expect(response.env).toContainEqual({ key: "DB_PASSWORD", tier: "never-exposed" });
  },
);

longTest("the command line and HTTP show the last end, its cause and its last lines, without a secret", async () => {
  const before = await show();
  process.kill(before.processes[0]?.pid ?? 0, "SIGUSR2");
  let after = await show();
  while (after.why.event === null || after.why.reason === null || after.processes[0]?.status !== "online")
    after = await show();
  expect(after.why.event).toMatchObject({ kind: "exit", cause: "crash", exitCode: 5 });
  expect(after.why.reason).toContain("password=");
  const server = await serverOver(own);
  const answer = await ask(server, "/api/runtime/process?name=serves&environment=dev");
  expect(answer.status).toBe(200);
  processShowBody.parse(answer.json);
  const env = { PM2_HOME: own.home, HOME: own.folder, SVC_SERVICE_MANAGEMENT_PM2_DIR: join(own.folder, "pm2") };
  const text = await svcm(["process", "show", "serves", "--environment", "dev"], { root: own.folder, env });
  expect(text.stdout).toContain("ended: probably crash, exit code 5,");
  expect(text.stdout).toContain("Listens on 127.0.0.1:");
  const habit = await svcm(["describe", "serves", "--json"], { root: own.folder, env });
  expect(JSON.parse(habit.stdout)).toMatchObject({ name: "serves", why: { event: { exitCode: 5 } } });
  expect(JSON.stringify([after, answer.text, text, habit])).not.toContain(CANARY);
});

longTest("a doubt about what runs is shown in place of the sentence that it runs as declared", async () => {
  const path = join(own.folder, ".env.shared");
  writeFileSync(path, "A=1\n");
  onTestFinished(() => rmSync(path));
  const { declaration } = await show();
  expect(declaration?.drift).toEqual([]);
  expect(declaration?.unknown).toContainEqual(expect.objectContaining({ app: "serves", part: "values" }));
  const env = { PM2_HOME: own.home, HOME: own.folder, SVC_SERVICE_MANAGEMENT_PM2_DIR: join(own.folder, "pm2") };
  const { stdout } = await svcm(["show", "serves", "--environment", "dev"], { root: own.folder, env });
  expect(stdout).toContain("cannot tell whether the values changed");
  expect(stdout).not.toContain("It runs as");
  const compared = await svcm(["drift", "--environment", "dev"], { root: own.folder, env });
  const verdict =
    /^No difference is known, but svcm cannot tell whether \d apps? runs? what is declared\.\n\? serves: /;
  expect(compared.stdout).toMatch(verdict);
});

longTest("if there is no error line, the page has the last lines of the log", async () => {
  await own.run({
    name: "talks",
    code: `console.log("it is fine, password=" + ${JSON.stringify(CANARY)}); setInterval(() => {}, 1000)`,
  });
  const env = { PM2_HOME: own.home, HOME: own.folder, SVC_SERVICE_MANAGEMENT_PM2_DIR: join(own.folder, "pm2") };
  const page = () => svcm(["process", "show", "talks", "--environment", "dev"], { root: own.folder, env });
  let { stdout } = await page();
  while (!stdout.includes("it is fine")) ({ stdout } = await page());
  expect(stdout).toMatch(/Last lines of its log\n.* it is fine, password=\[REDACTED\]\n/);
});

longTest("a process that hangs is reported, because connections wait", async () => {
  while ((await port()) === 0);
  const to = await port();
  // The first request makes the process hang, so the second one waits.
  const sockets = [createConnection(to, "127.0.0.1"), createConnection(to, "127.0.0.1")];
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  let { why, processes } = await show();
  while (why.now.length === 0) ({ why, processes } = await show());
  expect(why.now[0]).toMatch(
    new RegExp(
      `^[12] connections? waits? on port ${to}, and it has accepted (nothing|none of them) for \\d\\.\\d s\\.$`,
    ),
  );
  for (const socket of sockets) socket.destroy();
  const [hung] = processes;
  process.kill(hung?.pid ?? 0, "SIGKILL");
  while ([hung?.pid, null].includes((await show()).processes[0]?.pid));
});

longTest("a port that is in use is reported with the process that uses it", async () => {
  while ((await show()).processes[0]?.status !== "online" || (await port()) === 0);
  const taken = await port();
  const code = `require("node:net").createServer().listen(${taken}, "127.0.0.1");`;
  await own.run({ name: "late", autorestart: false, code });
  let { why } = await show("late");
  while (why.now.length === 0) ({ why } = await show("late"));
  const { pid, pmId } = (await show()).processes[0]!;
  expect(why.now).toEqual([`Port ${taken} is taken by serves (id ${pmId}), pid ${pid}.`]);
});

longTest("a schedule whose day does not exist restarts nothing, and its job waits for no time", async () => {
  const never = { cron_restart: "0 0 30 2 *" };
  await own.run({ name: "idle", ...never });
  await own.run({ name: "job", ...never, autorestart: false, code: "process.exit(0);" });
  expect((await show("idle")).processes[0]?.next).toContain("Its schedule 0 0 30 2 * has no more times.");
  await expect
    .poll(async () => (await show("job")).processes[0])
    .toMatchObject({ state: "waiting", stateReason: "its schedule has no more times" });
});
