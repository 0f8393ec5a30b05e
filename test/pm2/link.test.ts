import { mkdirSync, rmSync, watch, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import type { LinkFailure } from "../../src/core/pm2/daemon/failure.ts";
import { Link } from "../../src/core/pm2/daemon/link.ts";
import { pm2Processes } from "../../src/core/pm2/daemon/index.ts";
import { pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";

let own: Pm2;
let daemon: Daemon;
const A_MINUTE = 60_000;

beforeAll(async () => {
  own = pm2();
  daemon = await own.startDaemon();
  await own.run({ name: "api" });
});
afterAll(() => own.end());

async function only(link: { list(): Promise<ProcessRecord[]> }): Promise<ProcessRecord> {
  const [record] = await link.list();
  return record!;
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "done",
    (error: { kind?: string; body?: { code?: string } }) => `${error.kind} ${error.body?.code}`,
  );

/** A server lists in a worker, and a command in its thread. */
const readers = [{ isCommand: false }, { isCommand: true }];

test.each(readers)(
  "a silent daemon times out, and carries out no such action when it answers again: %j",
  async (how) => {
    const link = own.link({ timeoutMs: 300, ...how });
    const before = await only(own.link());
    await only(link).catch(() => undefined); // PM2 is loaded
    await daemon.signal("SIGSTOP");
    const refused = await Promise.all([link.list(), link.stop(before), link.restart(before)].map(code));
    await daemon.signal("SIGCONT");
    expect(refused).toEqual(Array.from({ length: 3 }, () => "PM2_FAILED PM2_TIMEOUT"));
    await own.run({ name: `passing-time-${how.isCommand}` }); // more than enough for something late
    const after = (await own.link().list()).find(({ name }) => name === "api");
    expect(after).toMatchObject({ status: "online", pid: before.pid, restartCount: before.restartCount });
  },
);

test.each(readers)("a pending call fails when the daemon is killed, and the next finds no daemon: %j", async (how) => {
  if (!(await only(own.link()).catch(() => undefined))) {
    daemon = await own.startDaemon();
    await own.run({ name: "api" });
  }
  const link = own.link({ timeoutMs: A_MINUTE, ...how });
  const before = await only(link);
  await daemon.signal("SIGSTOP");
  const inFlight = [link.list(), link.stop(before), link.restart(before)].map(code);
  await daemon.signal("SIGKILL");
  // The error depends on whether the worker had already passed the call on.
  const refusals = ["PM2_FAILED PM2_CONNECTION_LOST", "PM2_FAILED PM2_NOT_RUNNING"];
  for (const refusal of await Promise.all(inFlight)) expect(refusals).toContain(refusal);
  expect(await code(link.list())).toBe("PM2_FAILED PM2_NOT_RUNNING");
  expect(await code(link.stop(before))).toBe("PM2_FAILED PM2_NOT_RUNNING");
  expect(existsSync(join(own.home, "rpc.sock"))).toBe(true); // stale
});

test("the link recovers when a daemon runs again, and nothing that was refused is carried out", async () => {
  const link = own.link({ timeoutMs: A_MINUTE });
  daemon = await own.startDaemon();
  await own.run({ name: "api" });
  const before = await only(link);
  await daemon.signal("SIGSTOP");
  const refused = [link.stop(before), link.restart(before)].map(code);
  await daemon.signal("SIGKILL");
  await Promise.all(refused);
  daemon = await own.startDaemon();
  await own.run({ name: "api" });
  const healed = await only(link);
  await own.run({ name: "passing-time" });
  const { pid, startedAt } = healed;
  expect(await only(link)).toMatchObject({ name: "api", status: "online", restartCount: 0, pid, startedAt });
});

test("svcm does not act on a number that now belongs to another process", async () => {
  const link = own.link();
  const before = await only(link);
  expect(await code(link.stop({ ...before, name: "other" }))).toBe("PROCESS_ACTION_REFUSED PROCESS_CHANGED");
  expect(await code(link.stop({ ...before, uniqueId: "other" }))).toBe("PROCESS_ACTION_REFUSED PROCESS_CHANGED");
  expect(await code(link.stop({ ...before, pmId: 99 }))).toBe("PROCESS_ACTION_REFUSED PROCESS_CHANGED");
  expect((await only(link)).pid).toBe(before.pid);
});

test("if the daemon dies during an action, the error says that PM2 had received the action", async () => {
  const observed = join(own.folder, "ending");
  const arrived = new Promise<void>((resolve) => {
    const watcher = watch(own.folder, (_event, name) => {
      if (name !== "ending") return;
      watcher.close();
      resolve();
    });
  });
  const stubborn = `process.on("SIGINT", () => require("node:fs").writeFileSync(${JSON.stringify(observed)}, "")); setInterval(() => {}, 1e6); process.send?.("ready");`;
  await own.run({ name: "stubborn", code: stubborn, kill_timeout: A_MINUTE, wait_ready: true });
  const link = own.link();
  const record = (await link.list()).find(({ name }) => name === "stubborn")!;
  const stopping = link.stop(record).catch((error: Error) => error.message);
  await arrived;
  await daemon.signal("SIGKILL");
  expect(await stopping).toMatch(/^The PM2 daemon ended before it answered\. The action had been handed to PM2:/);
  daemon = await own.startDaemon();
});

test.each(readers)("without a daemon, a read reports it, and creates and starts nothing: %j", async (how) => {
  const home = join(own.folder, "no-home");
  const link = pm2Processes({ env: { PM2_HOME: home }, cwd: own.folder, ...how });
  expect(await code(link.list())).toBe("PM2_FAILED PM2_NOT_RUNNING");
  expect(existsSync(home)).toBe(false);
  mkdirSync(home);
  expect(await code(link.list())).toBe("PM2_FAILED PM2_NOT_RUNNING");
  expect(await code(link.stop({ pmId: 0, name: "api", uniqueId: null }))).toBe("PM2_FAILED PM2_NOT_RUNNING");
  rmSync(home, { recursive: true }); // nothing was made in it
});

test("a PM2_HOME that is too long for a socket is refused, with its limit", async () => {
  const long = (bytes: number): string => join(own.folder, "x".repeat(bytes - own.folder.length - 1));
  const refused = pm2Processes({ env: { PM2_HOME: long(98) }, cwd: own.folder });
  await expect(refused.list()).rejects.toMatchObject({
    body: { code: "PM2_HOME_UNUSABLE", details: expect.stringContaining("at most 97 bytes") as string },
  });
  expect(await code(refused.startApp("api", [], own.folder))).toBe("PM2_FAILED PM2_HOME_UNUSABLE");
  const longest = pm2Processes({ env: { PM2_HOME: long(97) }, cwd: own.folder });
  expect(await code(longest.list())).toBe("PM2_FAILED PM2_NOT_RUNNING");
});

test("a PM2_HOME that is a file is refused", async () => {
  const home = join(own.folder, "a-file");
  writeFileSync(home, "");
  const link = pm2Processes({ env: { PM2_HOME: home }, cwd: own.folder });
  expect(await code(link.list())).toBe("PM2_FAILED ENOTDIR");
  expect(await code(link.withLock("start", () => Promise.resolve()))).toBe("PM2_FAILED PM2_HOME_UNUSABLE");
});

test.each(readers)("a caller that aborts gets its answer immediately, and can call again: %j", async (how) => {
  const link = own.link({ timeoutMs: A_MINUTE, ...how });
  await link.list();
  const stop = new AbortController();
  await daemon.signal("SIGSTOP");
  const listing = link.list(stop.signal);
  stop.abort(new Error("enough"));
  await expect(listing).rejects.toThrow("enough");
  await daemon.signal("SIGCONT");
  expect(await link.list()).toEqual([]);
  await expect(link.list(stop.signal)).rejects.toThrow("enough");
});

test("close refuses pending calls, and a later call opens the link again", async () => {
  const env = { PATH: process.env["PATH"] ?? "", PM2_HOME: own.home };
  const places = { root: own.folder, home: own.home, path: "" };
  const socket = join(own.home, "rpc.sock");
  const link = new Link({ env, socket, salt: new Uint8Array(1), timeoutMs: A_MINUTE, places });
  await link.call({ method: "list" });
  await daemon.signal("SIGSTOP");
  const pending = link.call({ method: "list" }).catch((error: LinkFailure) => error.code);
  const closed = link.close();
  const next = link.call({ method: "list" }); // while the old worker ends
  expect(await pending).toBe("PM2_CONNECTION_LOST");
  await closed;
  await daemon.signal("SIGCONT");
  expect(await next).toEqual({ processes: [] });
  await link.close();
});
