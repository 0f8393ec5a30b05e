/** Actions on an app that PM2 itself is starting or restarting: the list decides, not PM2's refusals. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, processAct, type Caller, type Ports } from "../../src/core/index.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { withStoppedClock } from "../support/stopped-clock.ts";
import { longTest } from "../support/runs.ts";

const { own } = runningPm2();
const ports = withQuickClock(own.ports());
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
/** The app is ready immediately, and later after each restart. PM2 lists it as launching until then. */
const READY_LATER = `const { existsSync, writeFileSync } = require("node:fs");
const ran = __filename + ".ran";
setTimeout(() => process.send("ready"), existsSync(ran) ? 1500 : 0);
writeFileSync(ran, "");
setInterval(() => {}, 1e6);`;

const READY_AFTER_A_WHILE = { code: READY_LATER, wait_ready: true, listen_timeout: 10_000 };
type Input = Parameters<typeof processAct.run>[1];

const act = (action: Input["action"], name: string, world = ports) =>
  execute(processAct, world, { action, name }, caller);
const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

/** Ends the app's process, and resolves when PM2 is launching the next one. */
async function launching(name: string): Promise<void> {
  process.kill((await recordOf(name)).pid!, "SIGKILL");
  await expect.poll(async () => (await recordOf(name)).status).toBe("launching");
}

/** Ports with which the app ends, and PM2 launches it again, immediately before PM2 receives a restart. */
function overtaken(name: string): Ports {
  const { processes } = ports;
  const restart: typeof processes.restart = async (process, declared) => {
    await launching(name);
    return processes.restart(process, declared);
  };
  return { ...ports, processes: { ...processes, restart } };
}

longTest("a process that PM2 is launching is restarted", async () => {
  await own.run({ name: "restarted", ...READY_AFTER_A_WHILE });
  await launching("restarted");
  const { pid } = await recordOf("restarted");
  const { affected } = await act("restart", "restarted");
  expect(affected).toMatchObject([{ name: "restarted", status: "online" }]);
  expect(affected[0]!.pid).not.toBe(pid);
});

longTest("a process that PM2 is launching is stopped and stays stopped", async () => {
  await own.run({ name: "stopped", ...READY_AFTER_A_WHILE });
  await launching("stopped");
  const { affected } = await act("stop", "stopped");
  expect(affected).toMatchObject([{ name: "stopped", status: "stopped", pid: null }]);
});

/** It ends before it is ready, so PM2 is launching it nearly always. */
const NEVER_READY = {
  code: "setTimeout(() => process.exit(1), 300);",
  wait_ready: true,
  listen_timeout: 1000,
  max_restarts: 1e6,
  min_uptime: 100,
};

async function expectItEnds(mode: "fork" | "cluster"): Promise<void> {
  const name = `never-ready-${mode}`;
  // PM2's time-out of the launch does not pass any faster.
  const real = own.ports();
  await own.run({ name, ...NEVER_READY, exec_mode: mode });
  await expect.poll(async () => (await recordOf(name)).restartCount).toBeGreaterThan(1);
  expect(await act("stop", name, real)).toMatchObject({ affected: [{ name, status: "stopped", pid: null }] });
  const { restartCount } = await recordOf(name);
  await own.run({ name: `after-${mode}` }); // more than enough for another launch
  expect(await recordOf(name)).toMatchObject({ status: "stopped", restartCount });
  await ports.processes.start(await recordOf(name));
  await act("delete", name, real);
  expect(await recordOf(name)).toBeUndefined();
}

longTest("an app that always ends before it is ready is stopped, and deleted", () => expectItEnds("fork"));

longTest("a cluster that always ends before it is ready is stopped, and deleted", () => expectItEnds("cluster"));

test("if PM2 starts an app again after the answer to a stop, the stop is requested again", async () => {
  const ran = join(own.folder, "ran");
  const code = `const fs = require("node:fs"); if (!fs.existsSync(${JSON.stringify(ran)})) { fs.writeFileSync(${JSON.stringify(ran)}, ""); process.exit(1); }
    setInterval(() => {}, 1e6);`;
  await own.run({ name: "returning", code, min_uptime: "1m" });
  await expect.poll(async () => await recordOf("returning")).toMatchObject({ status: "online", unstableRestarts: 1 });
  const starts: Promise<unknown>[] = [];
  const sleep: typeof ports.clock.sleep = async (ms) => {
    const now = await recordOf("returning");
    if (now.status === "stopped" && starts.length === 0) {
      starts.push(ports.processes.start(now));
      await starts[0];
    }
    await ports.clock.sleep(ms);
  };
  const { affected } = await act("stop", "returning", { ...ports, clock: { ...ports.clock, sleep } });
  expect([affected, starts.length]).toMatchObject([[{ name: "returning", status: "stopped" }], 1]);
  expect(await recordOf("returning")).toMatchObject({ status: "stopped", pid: null });
});

test("an app that PM2 is about to start again is not taken for a stopped one", async () => {
  await own.run({ name: "between" });
  const { processes } = ports;
  let looks = 0;
  const list: typeof processes.list = async (signal) => {
    const all = await processes.list(signal);
    // Between two runs, the record has the pid of the ended one.
    return all.map((one) => (one.name === "between" && (looks += 1) === 2 ? { ...one, status: "stopped" } : one));
  };
  const { affected, skipped } = await act("stop", "between", { ...ports, processes: { ...processes, list } });
  expect([affected, skipped]).toMatchObject([[{ name: "between", status: "stopped", pid: null }], []]);
});

test("a watched process that is stopped is no longer watched, so a changed file does not start it", async () => {
  await own.run({ name: "watched", watch: true });
  expect((await recordOf("watched")).watching).toBe(true);
  await act("stop", "watched");
  expect(await recordOf("watched")).toMatchObject({ status: "stopped", watching: false });
});

longTest("a process that keeps exiting is reported while PM2 keeps restarting it", async () => {
  const lives = { code: "setTimeout(() => process.exit(7), 20);", max_restarts: 1e6 };
  await own.run({ name: "at-once", ...lives });
  await own.run({ name: "after-a-delay", ...lives, restart_delay: 10 });
  for (const name of ["at-once", "after-a-delay"])
    for (let n = 0; n < 5; n += 1)
      await expect(act("restart", name, withStoppedClock(ports))).rejects.toMatchObject({
        kind: "PROCESS_ACTION_FAILED",
        body: {
          code: "RESTART_VERIFY_FAILED",
          details: expect.stringMatching(/ended right after its start|exit code 7/) as string,
        },
      });
});

longTest("a stop during a restart by PM2 itself is sent again", async () => {
  await own.run({ name: "ending", code: "setInterval(() => {}, 1e6);", max_restarts: 1e6 });
  const { processes } = ports;
  const stop: typeof processes.stop = async (process) => {
    await processes.stop(process);
    // PM2 does this when it treats the end that the stop causes as a crash.
    if (requestCount === 0) await processes.start(process);
    requestCount += 1;
  };
  let requestCount = 0;
  const { affected } = await act("stop", "ending", { ...ports, processes: { ...processes, stop } });
  expect(affected).toMatchObject([{ name: "ending", status: "stopped", pid: null }]);
  expect(requestCount).toBe(2);
});

longTest(
  "if PM2 has restarted the process itself, a restart succeeds when the list shows the new process",
  async () => {
    await own.run({ name: "overtaken", ...READY_AFTER_A_WHILE });
    const { pid, restartCount } = await recordOf("overtaken");
    const { affected } = await act("restart", "overtaken", overtaken("overtaken"));
    const now = await recordOf("overtaken");
    expect(affected).toMatchObject([{ name: "overtaken", status: "online", pid: now.pid }]);
    expect(now.pid).not.toBe(pid);
    expect(now.restartCount).toBe(restartCount + 1); // by PM2 after the kill; it was not asked for another
  },
);

test("an end before PM2 receives the restart does not count as an end of the restarted process", async () => {
  await own.run({ name: "ended" });
  const { pid } = await recordOf("ended");
  const { processes } = ports;
  const restart: typeof processes.restart = async (process, declared) => {
    globalThis.process.kill(pid!, "SIGKILL");
    await expect.poll(() => recordOf("ended")).toMatchObject({ status: "online", restartCount: 1 });
    return processes.restart(process, declared);
  };
  const { affected } = await act("restart", "ended", { ...ports, processes: { ...processes, restart } });
  expect(affected).toMatchObject([{ name: "ended", status: "online" }]);
  expect(await recordOf("ended")).toMatchObject({ restartCount: 2 });
});

longTest(
  "a process that keeps ending is stopped before its restart, so that no end of it counts for the new one",
  async () => {
    const good = join(own.folder, "good");
    const code = `if (!require("node:fs").existsSync(${JSON.stringify(good)})) setTimeout(() => process.exit(3), 300);
    setInterval(() => {}, 1e6);`;
    await own.run({ name: "looping", code, max_restarts: 1e6 });
    await expect.poll(async () => (await recordOf("looping")).unstableRestarts).toBeGreaterThan(1);
    const { processes } = ports;
    const before: string[] = [];
    const restart: typeof processes.restart = async (process, declared) => {
      writeFileSync(good, "");
      const found = await processes.restart(process, declared);
      before.push(found.status);
      return found;
    };
    const { affected } = await act("restart", "looping", { ...ports, processes: { ...processes, restart } });
    expect(affected).toMatchObject([{ name: "looping", status: "online" }]);
    expect(before).toEqual(["stopped"]);
  },
);

longTest("a reload that is requested during another reload waits for it", async () => {
  // It does not listen, so PM2 waits this long.
  await own.run({ name: "reloading", exec_mode: "cluster", instances: 1, listen_timeout: 700 });
  const before = await recordOf("reloading");
  const first = ports.processes.reload(before);
  const { affected } = await act("reload", "reloading");
  await first;
  expect(affected).toMatchObject([{ name: "reloading", status: "online" }]);
  expect((await recordOf("reloading")).restartCount).toBe(before.restartCount + 2);
});

longTest("a restart with a declaration is tried again, and finally refused with the reason", async () => {
  const app = {
    name: "declared",
    script: join(own.folder, "declared.cjs"),
    wait_ready: true,
    listen_timeout: 10_000,
  };
  writeFileSync(app.script, READY_LATER);
  await own.run({ ...app, code: READY_LATER });
  own.pm2Folder([app]);
  const input: Input = { action: "restart", scope: "ecosystem", name: app.name, environment: "dev" };
  await expect(execute(processAct, overtaken(app.name), input, caller)).rejects.toMatchObject({
    kind: "PROCESS_ACTION_REFUSED",
    body: {
      code: "APP_NEVER_SETTLES",
      details: 'PM2 was launching "declared" each of the 5 times that svcm was about to restart it.',
    },
  });
});

longTest("a process that PM2 is launching for longer than the time-out is not changed", async () => {
  const code = "setInterval(() => {}, 1e6);";
  await own.run({ name: "endless", code: READY_LATER, wait_ready: true, listen_timeout: 60_000 });
  const { script } = await recordOf("endless");
  writeFileSync(script!, code);
  await launching("endless");
  const { pid } = await recordOf("endless");
  for (const action of ["stop", "restart", "reload", "delete"] as const) {
    const refused = execute(processAct, ports, { action, name: "endless", timeoutMs: 1000 }, caller);
    await expect(refused).rejects.toMatchObject({
      kind: "PROCESS_ACTION_REFUSED",
      body: {
        code: "APP_NEVER_SETTLES",
        details: expect.stringMatching(/^PM2 was still launching "endless" \(id \d+\) after 1 s\./) as string,
      },
    });
  }
  expect(await recordOf("endless")).toMatchObject({ pid, status: "launching" });
});
