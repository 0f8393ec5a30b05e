/** Faults in the middle of an apply, over a real PM2. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  execute,
  processAct,
  releaseList,
  rolloutApply,
  rolloutPlan,
  SvcmError,
  type Ports,
} from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { commandLine, start } from "../support/child.ts";
import { canMount, mount } from "../support/machine.ts";
import { pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let ports: Ports;
let daemon: Daemon;

/** In MODE 2 it sends SIGINT to the process that a file names, before it is ready. */
const APP = `
const { existsSync, readFileSync } = require("node:fs");
const file = __dirname + "/interrupt";
if (process.env.MODE === "2" && existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGINT");
process.send?.("ready");
require("node:http").createServer().listen(0, "127.0.0.1");`;

const api = (MODE: string) => ({ name: "api", script: "./app.cjs", env: { MODE } });
const web = (MODE: string) => ({ name: "web", script: "./app.cjs", env: { MODE } });

beforeAll(async () => {
  own = pm2();
  daemon = await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
});
afterAll(() => own.end());
beforeEach(() => apply([api("1"), web("1")]));

const apply = (apps: readonly object[], world = ports, signal?: AbortSignal) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, world, { environment: "dev" }, { ...caller, ...(signal && { signal }) });
};

/** The same world, in which something happens when a line of the journal is on disk. */
function when(isIt: (event: ReleaseEvent) => boolean, happens: () => unknown): Ports {
  const { releases } = ports;
  const add = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.add(id, event);
    if (isIt(event)) await happens();
  };
  return Object.create(ports, { releases: { value: { ...releases, add } } }) as Ports;
}

const isStep = (step: number, phase: string) => (event: ReleaseEvent) =>
  event.event === "step" && event.step === step && event.phase === phase;

const refusal = (done: Promise<unknown>): Promise<SvcmError> =>
  done.then(
    () => Promise.reject(new Error("it was not refused")),
    (error: unknown) => (error instanceof SvcmError ? error : Promise.reject(error as Error)),
  );

const stepsLeft = async (): Promise<number> =>
  (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;

const outcome = async (): Promise<string | undefined> =>
  (await execute(releaseList, ports, {}, caller)).releases[0]?.outcome;

test("a signal between two steps ends the apply after the step: the release is half, and the next apply goes on", async () => {
  const stop = new AbortController();
  const world = when(isStep(0, "begun"), () => stop.abort());
  const refused = await refusal(apply([api("2"), web("2")], world, stop.signal));
  expect(refused.kind).toBe("APPLY_HALF");
  expect(await outcome()).toBe("half");
  expect(await stepsLeft()).toBe(2);
  await apply([api("2"), web("2")]);
  expect(await stepsLeft()).toBe(0);
});

test("SIGINT to svcm does the same, and it exits 3", async () => {
  own.pm2Folder([{ ...api("2"), wait_ready: true, listen_timeout: 60_000 }, web("2")]);
  const env = { HOME: own.folder, PM2_HOME: own.home };
  const svcm = start(
    [
      process.execPath,
      join(import.meta.dirname, "../../bin/run.js"),
      "apply",
      "--environment",
      "dev",
      "--yes",
      "--root",
      own.folder,
    ],
    env,
  );
  writeFileSync(join(own.folder, "interrupt"), String(svcm.pid));
  expect(await svcm.ended).toEqual({ code: 3, signal: null });
  rmSync(join(own.folder, "interrupt"));
  expect(await outcome()).toBe("half");
  expect(await stepsLeft()).toBe(2);
});

test("a person who restarts a process before its step does not stop the apply", async () => {
  const restart = { action: "restart", name: "web" } as const;
  const world = when(isStep(0, "done"), () => execute(processAct, ports, restart, caller));
  expect((await apply([api("3"), web("3")], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});

test("a person who changes a definition before its step stops the apply: own steps return, the other change stays", async () => {
  const world = when(isStep(0, "done"), async () => {
    own.pm2Folder([api("1"), { ...web("1"), kill_timeout: 999 }]);
    await execute(
      processAct,
      ports,
      { action: "restart", scope: "ecosystem", name: "web", environment: "dev" },
      caller,
    );
  });
  const refused = await refusal(apply([api("3"), web("3")], world));
  expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
  own.pm2Folder([api("1"), { ...web("1"), kill_timeout: 999 }]);
  expect(await stepsLeft()).toBe(0);
});

test("a person who deletes a process before its step stops the apply, and the process stays deleted", async () => {
  const world = when(isStep(0, "done"), () => execute(processAct, ports, { action: "delete", name: "web" }, caller));
  const refused = await refusal(apply([api("3"), web("3")], world));
  expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
  expect((await ports.processes.list()).map(({ name }) => name)).toEqual(["api"]);
  own.pm2Folder([api("1")]);
  expect(await stepsLeft()).toBe(0);
});

test("after a SIGKILL in the middle of a step, the release is half, and the next apply finishes", async () => {
  own.pm2Folder([api("3"), web("3")]);
  const env = { HOME: own.folder, PM2_HOME: own.home };
  expect((await start(commandLine("apply-and-die", own.folder, "2", "after"), env).ended).signal).toBe("SIGKILL");
  expect(await outcome()).toBe("half");
  await apply([api("3"), web("3")]);
  expect(await stepsLeft()).toBe(0);
});

describe.skipIf(!canMount)("with a full disk (needs root and mount)", () => {
  test("nothing is changed, because svcm records before it acts", async () => {
    const before = await ports.processes.list();
    const folder = join(own.home, "svcm", basename(own.folder), "releases");
    mkdirSync(folder, { recursive: true });
    mount(folder, "-t", "tmpfs", "-o", "size=64k", "tmpfs");
    expect(() => writeFileSync(join(folder, "ballast"), Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
    const refused = await refusal(apply([api("4"), web("4")]));
    expect([refused.kind, refused.body.code]).toEqual(["PM2_FAILED", "PM2_HOME_UNUSABLE"]);
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });
});

test("a PM2 that is killed in the middle of an apply leaves a half release, and the next apply starts the apps", async () => {
  const world = when(isStep(0, "done"), () => daemon.signal("SIGKILL"));
  const refused = await refusal(apply([api("5"), web("5")], world));
  expect(refused.kind).toBe("APPLY_HALF");
  expect(await outcome()).toBe("half");
  daemon = await own.startDaemon();
  await apply([api("5"), web("5")]);
  expect(await stepsLeft()).toBe(0);
  expect(readFileSync(join(own.home, "dump.pm2"), "utf8")).toContain('"MODE":"5"');
});
