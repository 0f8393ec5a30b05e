/** Only one instance of a cluster is replaced at a time, and the others answer. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { execute, processAct, processScale, processWait, type Caller } from "../../src/core/index.ts";
import type { Processes } from "../../src/core/pm2/port-processes.ts";
import { freePort } from "../support/free-port.ts";
import { withStoppedClock } from "../support/stopped-clock.ts";
import { caller, clustered, SERVER } from "./clustered.ts";
import { longTest } from "../support/runs.ts";

const { own, ports, logOf, web, act, recordsOf, loadDuring, expectTurns } = clustered();

longTest("a reload of a cluster ends an instance only while another listens", () => expectTurns("reload"));

longTest("if an instance does not come back, no further instance is restarted", async () => {
  // PM2 waits that long for the instance that does not come back.
  await web("bad", await freePort(), 3, { listen_timeout: 3000 });
  await expect.poll(() => readFileSync(logOf("bad"), "utf8")).toBe("up\nup\nup\n");
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

longTest("each instance is reported when it is done", async () => {
  const received: string[] = [];
  const report: Caller["report"] = ({ done, total, label }) => void received.push(`${done} of ${total}: ${label}`);
  await execute(processAct, ports, { action: "reload", name: "web" }, { ...caller, report });
  const [first, second] = await recordsOf("web");
  expect(received).toEqual([
    `1 of 2: web (id ${first!.pmId}, namespace default)`,
    `2 of 2: web (id ${second!.pmId}, namespace default)`,
  ]);
});

const scale = (name: string, instances: number, world = ports) =>
  execute(processScale, world, { name, instances }, caller);

longTest(
  "an app is scaled up and down without a lost request, and the newest instances are removed first",
  async () => {
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
  },
);

test("an instance that does not stay online is removed again", async () => {
  await own.run({ name: "single", code: SERVER(logOf("single")), env: { PORT: await freePort() } });
  // The first instance that listens keeps the port.
  await expect.poll(() => existsSync(logOf("single"))).toBe(true);
  await expect(scale("single", 2, withStoppedClock(ports))).rejects.toMatchObject({
    kind: "PROCESS_ACTION_FAILED",
    body: { code: "START_VERIFY_FAILED" },
  });
  expect((await recordsOf("single")).map(({ status }) => status)).toEqual(["online"]);
});

longTest("a deleted process is not listed, and no process of it runs", async () => {
  await web("gone", await freePort(), 2);
  const pids = (await recordsOf("gone")).map(({ pid }) => pid);
  const { affected } = await execute(processAct, ports, { action: "delete", name: "gone" }, caller);
  expect(affected.map(({ name }) => name)).toEqual(["gone", "gone"]);
  expect(await recordsOf("gone")).toEqual([]);
  for (const pid of pids) expect(own.pids()).not.toContain(pid);
});

test("a process that PM2 was about to start again is listed again after its delete, and is deleted again", async () => {
  await own.run({ name: "again", code: "setInterval(() => {}, 1e6);" });
  const requested: number[] = [];
  // PM2's answer in that moment: it accepts the delete, and the process runs on.
  const remove: Processes["remove"] = async (target) => {
    requested.push(target.pmId);
    if (requested.length > 1) await ports.processes.remove(target);
  };
  const world = withStoppedClock({ ...ports, processes: { ...ports.processes, remove } });
  const { affected } = await execute(processAct, world, { action: "delete", name: "again" }, caller);
  expect([affected.length, requested.length, await recordsOf("again")]).toEqual([1, 2, []]);
});

longTest("a process that PM2 started again a moment ago is not taken for one that PM2 no longer lists", async () => {
  const loops = ["a", "b", "c", "d"].map((name) => `loop-${name}`);
  const code = "setTimeout(() => process.exit(1), 150);";
  for (const name of loops) await own.run({ name, code, max_restarts: 10_000, min_uptime: 100 });
  for (let look = 0; look < 100; look += 1) expect(await ports.processes.unlistedPids()).toEqual([]);
  for (const name of loops) await execute(processAct, ports, { action: "delete", name }, caller);
});

longTest("a wait ends when each process has been online for a second, or when PM2 has given up on one", async () => {
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
