/** Faults in the middle of an apply, over a real PM2. */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
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
import { asNobody, canBeNobody, canMount, mount, NOBODY } from "../support/machine.ts";
import { pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
let own: Pm2;
let ports: Ports;
let daemon: Daemon;

/** In MODE 2 it sends SIGINT to the process that a file names. It is ready when the file that HELD names exists, or at once. */
const APP = `
const { existsSync, readFileSync } = require("node:fs");
const file = __dirname + "/interrupt";
if (process.env.MODE === "2" && existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGINT");
const { HELD } = process.env;
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send?.("ready"));
look();
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

/** The same world, in which each pause is longer than svcm waits for anything. */
function withoutPatience(): Ports {
  let skippedMs = 0;
  const elapsed = (): number => ports.clock.elapsed() + skippedMs;
  const pause = async (ms: number): Promise<void> => {
    await ports.clock.pause(ms);
    skippedMs += 60_000;
  };
  return Object.create(ports, { clock: { value: { ...ports.clock, elapsed, pause } } }) as Ports;
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

/** Runs PM2's own command line, with a shell that has one more variable. */
const byPm2 = (...args: string[]): Promise<unknown> => {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home, OF_THE_SHELL: "1" };
  return promisify(execFile)(process.execPath, [PM2, ...args], { env });
};

const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

/** svcm's own command line, behind a prefix. */
const startApply = (...prefix: string[]) => {
  const svcm = join(import.meta.dirname, "../../bin/run.js");
  const flags = ["--environment", "dev", "--yes", "--json", "--root", own.folder];
  const env = { HOME: own.folder, PM2_HOME: own.home };
  return start([...prefix, process.execPath, svcm, "apply", ...flags], env);
};

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
  const svcm = startApply();
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

test("an app that PM2 restarts itself after a crash before its step does not stop the apply", async () => {
  const { pid } = await recordOf("web");
  const world = when(isStep(0, "done"), async () => {
    process.kill(pid!, "SIGKILL");
    while ([pid, null].includes((await recordOf("web")).pid));
  });
  expect((await apply([api("3"), web("3")], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});

test("a person whose shell goes into a process before its step stops the apply, and the variable stays", async () => {
  const world = when(isStep(0, "done"), () => byPm2("restart", "web", "--update-env"));
  const refused = await refusal(apply([api("3"), web("3")], world));
  expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
  const { pid } = await recordOf("web");
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain("OF_THE_SHELL=1");
  expect((await recordOf("api")).status).toBe("online");
});

test("an app that PM2 is launching when an apply begins is awaited, and no process is left over", async () => {
  const gate = join(own.folder, "gate");
  const held = { ...web("1"), wait_ready: true, listen_timeout: 60_000, env: { MODE: "1", HELD: gate } };
  writeFileSync(gate, "");
  await apply([api("1"), held]);
  rmSync(gate);
  const { pid } = await recordOf("web");
  process.kill(pid!, "SIGKILL");
  while ((await recordOf("web")).status !== "launching");
  const world = when(isStep(0, "begun"), () => writeFileSync(gate, ""));
  expect((await apply([api("1"), { ...held, kill_timeout: 999 }], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
  const listed = (await ports.processes.list()).map((record) => record.pid);
  expect(new Set(own.pids())).toEqual(new Set([daemon.pid, ...listed]));
});

test("beside a process that PM2 runs and does not list, nothing is applied until it has ended", async () => {
  own.pm2Folder([{ ...web("1"), name: "lost", wait_ready: true, listen_timeout: 60_000, env: { HELD: "/nowhere" } }]);
  const started = own.startDeclared("lost").catch(() => undefined);
  while ((await recordOf("lost"))?.status !== "launching");
  // PM2 takes the end of a process that it launches for a crash, and starts it again.
  await byPm2("delete", "lost");
  let [pid] = await ports.processes.unlisted();
  while (pid === undefined) [pid] = await ports.processes.unlisted();
  const before = await ports.processes.list();
  const refused = await refusal(apply([api("3"), web("3")], withoutPatience()));
  expect([refused.kind, refused.body.code]).toEqual(["PROCESS_ACTION_REFUSED", "PROCESS_UNLISTED"]);
  expect(refused.message).toContain(`with these numbers: ${pid}.`);
  expect((await ports.processes.list()).map((one) => one.pid)).toEqual(before.map((one) => one.pid));
  process.kill(pid, "SIGKILL");
  await started;
  await apply([api("3"), web("3")]);
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

describe.skipIf(!canMount)("without a place for the journal (needs root and mount)", () => {
  const releases = (): string => join(own.home, "svcm", basename(own.folder), "releases");
  const disk = (): void => {
    mkdirSync(releases(), { recursive: true });
    mount(releases(), "-t", "tmpfs", "-o", "size=256k", "tmpfs");
  };
  const fill = (): void =>
    expect(() => writeFileSync(join(releases(), "ballast"), Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
  const makeReadOnly = (): void => void execFileSync("mount", ["-o", "remount,ro", releases()]);

  test.each([
    ["the disk is full", fill],
    ["the file system is read-only", makeReadOnly],
  ])("nothing is changed if %s, because svcm records before it acts", async (_, spoil) => {
    const before = await ports.processes.list();
    disk();
    spoil();
    const refused = await refusal(apply([api("4"), web("4")]));
    expect([refused.kind, refused.body.code]).toEqual(["PM2_FAILED", "PM2_HOME_UNUSABLE"]);
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });

  test.skipIf(!canBeNobody)("nothing is changed if the folder of the releases belongs to another user", async () => {
    const before = await ports.processes.list();
    own.pm2Folder([api("4"), web("4")]);
    for (const path of [own.folder, join(own.home, "rpc.sock")]) chmodSync(path, 0o777);
    for (const path of [join(releases(), ".."), releases()]) chmodSync(path, 0o755);
    const others = [own.home, join(own.home, "svcm"), join(own.home, "svcm/key")];
    const give = (id: number): void => others.forEach((path) => chownSync(path, id, id));
    give(NOBODY);
    onTestFinished(() => give(0));
    const child = startApply(...asNobody);
    expect(JSON.parse((await child.rest()).join(""))).toMatchObject({
      code: "PM2_HOME_UNUSABLE",
      details: expect.stringContaining("(EACCES)") as string,
    });
    expect(await child.ended).toEqual({ code: 3, signal: null });
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });

  test("the touched apps are returned if the file system turns read-only between two steps", async () => {
    disk();
    const world = when(isStep(0, "done"), makeReadOnly);
    const refused = await refusal(apply([api("4"), web("4")], world));
    expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PM2_HOME_UNUSABLE"]);
    own.pm2Folder([api("1"), web("1")]);
    expect(await stepsLeft()).toBe(0);
  });
});

test("a boot after an apply starts what was applied", async () => {
  await apply([api("6"), web("6")]);
  await byPm2("kill");
  daemon = await own.startDaemon();
  await byPm2("resurrect");
  expect(await stepsLeft()).toBe(0);
  expect(readFileSync(join(own.home, "dump.pm2"), "utf8")).toContain('"MODE":"6"');
});

test.each([
  ["killed", () => daemon.signal("SIGKILL")],
  ["ended by its own command", () => byPm2("kill")],
])(
  "a PM2 that is %s in the middle of an apply leaves a half release, and the next apply starts the apps",
  async (_, end) => {
    const refused = await refusal(apply([api("5"), web("5")], when(isStep(0, "done"), end)));
    expect(refused.kind).toBe("APPLY_HALF");
    expect(await outcome()).toBe("half");
    daemon = await own.startDaemon();
    await apply([api("5"), web("5")]);
    expect(await stepsLeft()).toBe(0);
  },
);
