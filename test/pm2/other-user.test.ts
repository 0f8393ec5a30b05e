/** A PM2 of another user is refused with a code, and it can crash only the worker. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { daemonRenew, execute, processAct, rolloutApply, rolloutPlan, rolloutRollback } from "../../src/core/index.ts";
import { commandLine, run } from "../support/child.ts";
import { asNobody, canBeNobody, NOBODY } from "../support/machine.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const { own, ports } = runningPm2();
const caller = { source: "cli", grants: ["read", "write"] } as const;

beforeAll(async () => {
  await own.run({ name: "api" });
  chmodSync(own.folder, 0o755);
});

const asOther = (home: string): Promise<string[]> =>
  run([...asNobody, ...commandLine("list-processes")], { PM2_HOME: home, HOME: own.folder });

test.skipIf(!canBeNobody)("a socket without permission to connect is refused", async () => {
  expect(await asOther(own.home)).toEqual(["EACCES", "PM2_HOME_UNUSABLE", "idle"]);
});

test.skipIf(!canBeNobody)(
  "with a usable socket, a home without write permission can be listed, but cannot be used to start PM2",
  async () => {
    chmodSync(join(own.home, "rpc.sock"), 0o777);
    expect(await asOther(own.home)).toEqual(['["api"]', "PM2_HOME_UNUSABLE", "idle"]);
  },
);

test.skipIf(!canBeNobody)("a home without permission to enter is refused", async () => {
  const home = join(own.folder, "closed");
  mkdirSync(home, { mode: 0o700 });
  expect(await asOther(home)).toEqual(["EACCES", "PM2_HOME_UNUSABLE", "idle"]);
  chownSync(home, NOBODY, NOBODY);
  expect(await asOther(home)).toEqual(["PM2_NOT_RUNNING", '"held"', "idle"]);
});

test.skipIf(!canBeNobody)("root starts no PM2 in the home of a user", async () => {
  const link = (home: string) => own.link({ env: { PM2_HOME: home } });
  const home = join(own.folder, "of a user");
  mkdirSync(home);
  await expect(link(home).requireLasting()).resolves.toBeUndefined();
  chownSync(home, NOBODY, NOBODY);
  const refused = {
    kind: "PM2_FAILED",
    body: {
      code: "PM2_HOME_OF_USER",
      details: expect.stringContaining(`${home} belongs to nobody.`) as string,
      hint: expect.stringMatching(/^sudo -u nobody 'PM2_HOME=.* user' svcm/) as string,
    },
  };
  // As in a container with a mounted folder.
  vi.stubEnv("SUDO_UID", undefined);
  await expect(link(home).requireLasting()).resolves.toBeUndefined();
  vi.stubEnv("SUDO_UID", "1000");
  await expect(link(home).requireLasting()).rejects.toMatchObject(refused);
  await expect(link(home).startApp("api", [], own.folder)).rejects.toMatchObject(refused);
  await expect(link(home).restoreList()).rejects.toMatchObject(refused);
  expect(readdirSync(home)).toEqual([]);
  // Both daemons of a renewal that was cut off have ended.
  const journal = { step: "forward", node: process.execPath, program: "", formerPid: 0, formerNode: null };
  mkdirSync(join(home, "svcm"));
  const begun = JSON.stringify({ ...journal, startedAtMs: 0, unit: null, records: [] });
  writeFileSync(join(home, "svcm/renew.json"), begun);
  const renewed = execute(
    daemonRenew,
    own.ports({ PM2_HOME: home }),
    { goBack: false },
    { ...caller, grants: ["admin"] },
  );
  await expect(renewed).rejects.toMatchObject(refused);
  expect(readdirSync(home)).toEqual(["svcm"]);
  vi.stubEnv("NOTIFY_SOCKET", "/run/systemd/notify");
  await expect(link(home).requireLasting()).resolves.toBeUndefined();
  vi.unstubAllEnvs();
  await expect(link(join(own.folder, "none")).requireLasting()).resolves.toBeUndefined();
  // A daemon that runs has its user already.
  chownSync(own.home, NOBODY, NOBODY);
  await expect(link(own.home).requireLasting()).resolves.toBeUndefined();
  chownSync(own.home, 0, 0);
});

longTest.skipIf(!canBeNobody)("a process of another user is hidden, and one that has ended is not", async () => {
  const seenBy = (pid: number): Promise<string[]> =>
    run([...asNobody, ...commandLine("sees-process", String(pid))], {});
  expect(await seenBy(process.pid)).toEqual(["hidden"]);
  // Above the largest pid of Linux.
  expect(await seenBy(2 ** 22 + 1)).toEqual(["seen"]);
  expect(await run(commandLine("sees-process", String(process.pid)), {})).toEqual(["seen"]);
});

longTest("for the owner, an idle link keeps no process running", async () => {
  expect(await run(commandLine("list-processes"), { PM2_HOME: own.home })).toEqual(['["api"]', '"held"', "idle"]);
});

// Last, because the folders are of another user from here on.
test.skipIf(!canBeNobody)("what root writes below the PM2_HOME of a user belongs to that user", async () => {
  const setLevel = (level: string): void => writeFileSync(join(own.folder, "api.env"), `LEVEL=${level}\n`);
  setLevel("info");
  own.pm2Folder([{ name: "api", script: "./api.cjs", node_args: "--env-file=api.env" }]);
  writeFileSync(join(own.folder, "api.cjs"), IDLE);
  execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, own.folder]);
  await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  await execute(rolloutApply, ports, { environment: "dev" }, caller);
  setLevel("debug");
  await execute(processAct, ports, { action: "restart", name: "api" }, caller);
  await execute(rolloutPlan, ports, { environment: "dev" }, caller);
  await execute(rolloutRollback, ports, {}, caller);
  const written = readdirSync(own.home, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("svcm"));
  expect(written.join("\n")).toMatch(/starts\/code\/\w+\.gz/);
  expect(written.filter((path) => statSync(join(own.home, path)).uid !== NOBODY)).toEqual([]);
});
