/** The instances of a cluster take turns, and the others answer. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, processAct, processScale, processWait, type Caller, type Ports } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { withStoppedClock } from "../support/stopped-clock.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
/** Far longer than any answer takes. */
const UNANSWERED_MS = 60_000;
let own: Pm2;
let ports: Ports;
let port: number;

/**
 * Answers after 20 ms, and writes when it begins to listen and when PM2 ends it. It stays for a moment after that: a
 * connection that the cluster has just given to it goes back to the others. On a loaded machine such connections may wait
 * behind the timer, so it hears them before it ends.
 */
const SERVER = (log: string): string => `
const note = (what) => require("node:fs").appendFileSync(${JSON.stringify(log)}, what + "\\n");
const server = require("node:http").createServer((request, response) => setTimeout(() => response.end(), 20));
server.listen(Number(process.env.PORT), "127.0.0.1", () => { note("up"); process.send("ready"); });
process.on("SIGINT", () => {
  note("down");
  const isClosed = new Promise((resolve) => server.close(resolve));
  const end = () => setImmediate(() => setImmediate(() => isClosed.then(() => process.exit(0))));
  setTimeout(end, 500);
});`;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  port = await freePort();
  await web("web", port, 2);
});
afterAll(() => own.end());

const logOf = (name: string): string => join(own.folder, `${name}.log`);
const web = (name: string, listens: number, instances: number) =>
  own.run({
    name,
    code: SERVER(logOf(name)),
    instances,
    exec_mode: "cluster",
    wait_ready: true,
    kill_timeout: 20_000,
    env: { PORT: listens },
  });
const act = (action: "restart" | "reload", name: string, world = ports) =>
  execute(processAct, world, { action, name }, caller);
const recordsOf = async (name: string) => (await ports.processes.list()).filter((record) => record.name === name);

/** Sends 200 requests a second, each over a separate connection, while something happens. */
async function loadDuring(work: () => Promise<unknown>): Promise<{ sent: number; failed: number }> {
  const agent = new Agent({ keepAlive: false });
  const answers: Promise<boolean>[] = [];
  const ask = (): void => {
    const answer = new Promise<boolean>((resolve) => {
      const request = get({ host: "127.0.0.1", port, agent }, (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode === 200));
      });
      request.once("error", () => resolve(false));
      request.setTimeout(UNANSWERED_MS, () => request.destroy());
    });
    answers.push(answer);
  };
  const timer = setInterval(ask, 5);
  await work().finally(() => clearInterval(timer));
  const results = await Promise.all(answers);
  return { sent: results.length, failed: results.filter((isAnswered) => !isAnswered).length };
}

test("a reload of a cluster loses no more requests than PM2's own in the same run", async () => {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  const byPm2 = await loadDuring(() => promisify(execFile)(process.execPath, [PM2, "reload", "web"], { env }));
  const before = await recordsOf("web");
  const bySvcm = await loadDuring(() => act("reload", "web"));
  expect(bySvcm.failed).toBeLessThanOrEqual(byPm2.failed);
  expect(bySvcm.sent).toBeGreaterThan(100);
  const after = await recordsOf("web");
  expect(after.map(({ pmId, status }) => [pmId, status])).toEqual(before.map(({ pmId }) => [pmId, "online"]));
  for (const [index, { pid }] of after.entries()) expect(pid).not.toBe(before[index]!.pid);
});

test.each(["restart", "reload"] as const)(
  "a %s of a cluster ends an instance only while another listens",
  async (action) => {
    const name = `turns-${action}`;
    await web(name, await freePort(), 3);
    await act(action, name);
    const events = readFileSync(logOf(name), "utf8").trim().split("\n").slice(3);
    expect(events.filter((event) => event === "down")).toHaveLength(3);
    let listening = 3;
    for (const event of events) {
      listening += event === "up" ? 1 : -1;
      expect(listening).toBeGreaterThanOrEqual(2);
    }
  },
);

test("the first instance that does not come back is the last that is touched", async () => {
  await web("bad", await freePort(), 3);
  const [first, ...others] = await recordsOf("bad");
  writeFileSync(first!.script!, "process.exit(9);");
  const refusal = await act("reload", "bad", withStoppedClock(ports)).catch(
    (error: unknown) => error as { body: { details: string } },
  );
  expect(refusal).toMatchObject({ kind: "PROCESS_ACTION_FAILED", body: { code: "RELOAD_VERIFY_FAILED" } });
  expect((refusal as { body: { details: string } }).body.details).toMatch(
    /The reload of 1 of 3 failed\. .*exit code 9.* Not begun because an instance before failed: bad \(id \d+, namespace default\), bad/,
  );
  const after = await recordsOf("bad");
  for (const { pmId, pid } of others) expect(after.find((record) => record.pmId === pmId)).toMatchObject({ pid });
  await execute(processAct, ports, { action: "stop", name: "bad" }, caller);
});

test("each instance is reported when it is done", async () => {
  const heard: string[] = [];
  const report: Caller["report"] = ({ done, total, label }) => void heard.push(`${done} of ${total}: ${label}`);
  await execute(processAct, ports, { action: "reload", name: "web" }, { ...caller, report });
  const [first, second] = await recordsOf("web");
  expect(heard).toEqual([
    `1 of 2: web (id ${first!.pmId}, namespace default)`,
    `2 of 2: web (id ${second!.pmId}, namespace default)`,
  ]);
});

const scale = (name: string, instances: number, world = ports) =>
  execute(processScale, world, { name, instances }, caller);

test("an app is scaled up and down without a lost request, the newest instances first", async () => {
  const [first, second] = await recordsOf("web");
  const up = await loadDuring(async () => {
    const { from, to, affected } = await scale("web", 4);
    expect([from, to, affected.length]).toEqual([2, 4, 2]);
  });
  expect(up.failed).toBe(0);
  const all = await recordsOf("web");
  expect(all.map(({ status }) => status)).toEqual(["online", "online", "online", "online"]);
  const down = await loadDuring(async () => {
    const { from, to, affected } = await scale("web", 2);
    expect([from, to, affected.map(({ pmId }) => pmId)]).toEqual([4, 2, all.slice(2).map(({ pmId }) => pmId)]);
  });
  expect([up.failed, down.failed]).toEqual([0, 0]);
  expect((await recordsOf("web")).map(({ pid }) => pid)).toEqual([first!.pid, second!.pid]);
  expect(await scale("web", 2)).toMatchObject({ from: 2, to: 2, affected: [] });
});

test("an instance that does not stay online is taken out again", async () => {
  await own.run({ name: "single", code: SERVER(logOf("single")), env: { PORT: await freePort() } });
  // The one that listens first keeps the port.
  while (!existsSync(logOf("single"))) await ports.processes.list();
  await expect(scale("single", 2, withStoppedClock(ports))).rejects.toMatchObject({
    kind: "PROCESS_ACTION_FAILED",
    body: { code: "START_VERIFY_FAILED" },
  });
  expect((await recordsOf("single")).map(({ status }) => status)).toEqual(["online"]);
});

test("a deleted process is in no list, and none of it runs", async () => {
  await web("gone", await freePort(), 2);
  const pids = (await recordsOf("gone")).map(({ pid }) => pid);
  const { affected } = await execute(processAct, ports, { action: "delete", name: "gone" }, caller);
  expect(affected.map(({ name }) => name)).toEqual(["gone", "gone"]);
  expect(await recordsOf("gone")).toEqual([]);
  for (const pid of pids) expect(own.pids()).not.toContain(pid);
});

test("a wait ends when each process has been online for a second, or with a process that PM2 gave up on", async () => {
  await own.run({
    name: "later",
    code: 'setTimeout(() => process.send("ready"), 1500); setInterval(() => {}, 1e6);',
    wait_ready: true,
  });
  const wait = (names: string[], timeoutMs?: number) =>
    execute(processWait, ports, { names, pmIds: [], timeoutMs }, caller);
  const later = await wait(["later", "web"]);
  expect(later).toMatchObject({ ok: true });
  expect(later.processes.map(({ name, isOnline }) => [name, isOnline])).toEqual([
    ["later", true],
    ["web", true],
    ["web", true],
  ]);
  await execute(processAct, ports, { action: "stop", name: "later" }, caller);
  expect(await wait(["later"], 1000)).toMatchObject({ ok: false, processes: [{ status: "stopped", isOnline: false }] });
  await own.run({ name: "errored", code: "process.exit(1);", max_restarts: 1, min_uptime: 60_000 });
  const given = await wait(["errored", "web"], 60_000);
  expect(given.ok).toBe(false);
  expect(given.processes.find(({ name }) => name === "errored")).toMatchObject({ status: "errored", isOnline: false });
});
