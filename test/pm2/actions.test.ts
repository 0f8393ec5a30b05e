import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { auditLog } from "../../src/core/access/audit-log.node.ts";
import { expect, test } from "vitest";
import { execute, processAct, processList, type Caller, type Ports } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { newestRecord } from "../support/records.ts";
import { withStoppedClock } from "../support/stopped-clock.ts";
import { longTest } from "../support/runs.ts";

const { own } = runningPm2();
const ports = withQuickClock(own.ports());
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
type Input = Parameters<typeof processAct.run>[1];

const act = (input: Input, world: Ports = ports) => execute(processAct, world, input, caller);

async function refused(input: Input, world: Ports = ports): Promise<{ kind: string; code: unknown; details: unknown }> {
  try {
    await act(input, world);
  } catch (error) {
    const { kind, body } = error as { kind: string; body: { code?: string; details?: string } };
    return { kind, code: body.code, details: body.details };
  }
  throw new Error("it was not refused");
}

async function statusOf(name: string): Promise<string[]> {
  const { processes } = await execute(processList, ports, {}, caller);
  return processes.filter((process) => process.name === name).map(({ status }) => status);
}

/** Registers the test's processes with PM2 as stopped, without waiting for each start. */
async function stopped(...names: string[]): Promise<void> {
  // PM2 does not restart the process while a test stops it.
  for (const name of names) await own.run({ name, autorestart: false });
  for (const record of await ports.processes.list())
    if (names.includes(record.name)) await ports.processes.stop(record);
}

test("a process is stopped, started and restarted, each shown by PM2's list and recorded", async () => {
  await own.run({ name: "api", namespace: "backend", env: { SVC_HTTP_PORT: "3001" }, args: "--flag" });
  const [before] = await ports.processes.list();
  expect(before).toMatchObject({
    name: "api",
    status: "online",
    namespace: "backend",
    httpPort: 3001,
    execMode: "fork",
  });

  const stop = await act({ action: "stop", name: "api", environment: "Dev " });
  const ref = { name: "api", pmId: before!.pmId, namespace: "backend" };
  expect(stop).toEqual({
    ok: true,
    action: "stop",
    scope: "process",
    name: "api",
    pmId: before!.pmId,
    affected: [{ ...ref, pid: null, status: "stopped" }],
    skipped: [],
    warnings: [],
  });
  expect(await act({ action: "stop", name: "api" })).toMatchObject({
    affected: [],
    skipped: [{ ...ref, reason: "ALREADY_STOPPED" }],
  });

  const start = await act({ action: "start", pmId: before!.pmId });
  expect(start.affected).toEqual([{ ...ref, pid: expect.any(Number) as number, status: "online" }]);
  const again = await act({ action: "start", name: "api" });
  expect(again).toMatchObject({ affected: [], skipped: [{ ...ref, reason: "ALREADY_RUNNING" }] });

  const restart = await act({ action: "restart", name: "api" });
  expect(restart.affected[0]!.pid).not.toBe(start.affected[0]!.pid);
  const records = await newestRecord(ports.audit, 10);
  expect(records.map(({ action, outcome, code }) => [action, outcome, code])).toEqual([
    ["process.restart", "succeeded", undefined],
    ["process.start", "succeeded", "ALREADY_RUNNING"],
    ["process.start", "succeeded", undefined],
    ["process.stop", "succeeded", "ALREADY_STOPPED"],
    ["process.stop", "succeeded", undefined],
  ]);
  for (const record of records) {
    expect(record).toMatchObject({
      processes: [{ name: "api", pmId: before!.pmId, pm2Home: own.home }],
      source: "cli",
      actor: "tester",
    });
    expect(record).not.toHaveProperty("environment");
    expect(record).not.toHaveProperty("target");
  }
});

test("of two deletes at the same time, one deletes and the other has nothing to do", async () => {
  await own.run({ name: "twice" });
  const [number] = (await ports.processes.list()).flatMap(({ name, pmId }) => (name === "twice" ? [pmId] : []));
  const both = await Promise.all([act({ action: "delete", name: "twice" }), act({ action: "delete", name: "twice" })]);
  expect(both.flatMap(({ affected }) => affected)).toMatchObject([{ name: "twice", pmId: number }]);
  expect(both.flatMap(({ skipped }) => skipped)).toMatchObject([{ name: "twice", reason: "ALREADY_DELETED" }]);
});

test("a refused attempt is recorded with the processes that it would have changed", async () => {
  await stopped("refused");
  const number = (await ports.processes.list()).find(({ name }) => name === "refused")!.pmId;
  const serving: Ports = {
    ...ports,
    processes: { ...ports.processes, ownProcess: () => ({ pids: [], pm2: { pmId: number, name: "refused" } }) },
  };
  const recorded = async (): Promise<unknown> => (await newestRecord(ports.audit, 1))[0];
  const blocked = await refused({ action: "restart", pmId: number }, serving);
  expect(blocked).toMatchObject({ kind: "SELF_ACTION_BLOCKED" });
  expect(await recorded()).toMatchObject({
    action: "process.restart",
    outcome: "refused",
    code: "SELF_ACTION_BLOCKED",
    processes: [{ name: "refused", pmId: number, pm2Home: own.home }],
  });
  await refused({ action: "stop", name: "nothing-of-this-name" });
  expect(await recorded()).toMatchObject({
    action: "process.stop",
    target: "nothing-of-this-name",
    outcome: "refused",
    code: "PROCESS_NOT_FOUND",
  });
  await refused({ action: "stop", scope: "namespace", namespace: "nowhere" });
  expect(await recorded()).toMatchObject({ target: "namespace nowhere", outcome: "refused" });
});

longTest("an audit record has the environment of the ecosystem file, not NODE_ENV", async () => {
  own.pm2Folder([{ name: "declared", script: "./idle.cjs" }], "production");
  writeFileSync(join(own.folder, "idle.cjs"), IDLE);
  writeFileSync(join(own.folder, "pm2/idle.cjs"), IDLE);
  const world = own.ports({ NODE_ENV: "production" });
  await act({ action: "start", scope: "ecosystem", name: "declared", environment: "prod" }, world);
  await act({ action: "restart", name: "declared" }, world);
  const [restart, start] = await newestRecord(ports.audit, 2);
  expect(start).toMatchObject({
    action: "process.start",
    environment: "production",
    target: "ecosystem declared",
    processes: [{ name: "declared", pmId: expect.any(Number) as number, pm2Home: own.home }],
  });
  expect(restart).toMatchObject({ action: "process.restart", processes: [{ name: "declared" }] });
  expect(restart).not.toHaveProperty("environment");
});

test("svcm acts on several targets at once, and on none of them if one is missing", async () => {
  for (const name of ["first", "second", "third"]) await own.run({ name });
  const third = (await ports.processes.list()).find(({ name }) => name === "third")!;
  expect(await refused({ action: "stop", names: ["first", "nothing"] })).toMatchObject({ code: "PROCESS_NOT_FOUND" });
  expect(await statusOf("first")).toEqual(["online"]);
  const { affected, name } = await act({ action: "stop", names: ["first", "second"], pmIds: [third.pmId] });
  expect(affected.map((process) => `${process.name} ${process.status}`)).toEqual([
    "first stopped",
    "second stopped",
    "third stopped",
  ]);
  expect(name).toBe("first, second, third");
});

longTest("the audit record of a failed action names its processes", async () => {
  await own.run({ name: "vanishes" });
  const vanishing = (await ports.processes.list()).find(({ name }) => name === "vanishes")!;
  rmSync(vanishing.script!);
  await expect(act({ action: "restart", pmId: vanishing.pmId })).rejects.toMatchObject({
    body: { processes: [{ name: "vanishes", pmId: vanishing.pmId, pm2Home: own.home }] },
  });
});

longTest(
  "names that PM2 reads as numbers, wildcards, files or patterns select only the app with exactly that name",
  async () => {
    const names = ["0", "all", "api.v1", "x.json", "/re/", "default"];
    for (const name of [...names, "bystander"]) await own.run({ name });
    const online = async (): Promise<string[]> =>
      (await ports.processes.list()).filter(({ status }) => status === "online").map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      await act({ action: "stop", name });
      expect(await online()).toEqual(expect.arrayContaining([...names.slice(index + 1), "bystander"]));
      expect(await statusOf(name)).toEqual(["stopped"]);
    }
    await act({ action: "start", name: "api.v1" });
    await act({ action: "restart", name: "0" });
    expect((await online()).filter((name) => names.includes(name))).toEqual(["0", "api.v1"]);
  },
);

test("an unknown name is refused with the most similar known name", async () => {
  await stopped("restapi");
  expect(await refused({ action: "stop", name: "restap" })).toMatchObject({
    kind: "PROCESS_NOT_FOUND",
    code: "PROCESS_NOT_FOUND",
    details: expect.stringContaining('Did you mean "restapi"?') as string,
  });
  expect(await refused({ action: "stop", pmId: 4711 })).toMatchObject({ kind: "PROCESS_NOT_FOUND" });
  expect(await refused({ action: "stop", scope: "namespace", namespace: "bakend" })).toMatchObject({
    details: expect.stringContaining('Did you mean "backend"?') as string,
  });
});

longTest(
  "a name that several apps have is refused with a list of the apps, and accepted with a namespace or number",
  async () => {
    const script = join(own.folder, "twin.cjs");
    writeFileSync(script, IDLE);
    const twins = ["left", "right"].map((namespace) => ({ name: "twin", script, namespace }));
    await ports.processes.startApp("twin", twins, own.folder);
    const refusal = await refused({ action: "stop", name: "twin" });
    expect(refusal).toMatchObject({ kind: "PROCESS_AMBIGUOUS" });
    expect(refusal.details).toMatch(/2 processes of different apps.*namespace left.*namespace right/);
    const { affected } = await act({ action: "stop", name: "twin", namespace: "right" });
    expect(affected.map(({ namespace }) => namespace)).toEqual(["right"]);
  },
);

longTest("an action by name applies to all instances of the app", async () => {
  await own.run({ name: "cluster", instances: 2, namespace: "pair" });
  const { affected, pmId } = await act({ action: "restart", name: "cluster" });
  expect(affected.map(({ name, status }) => `${name} ${status}`)).toEqual(["cluster online", "cluster online"]);
  expect(pmId).toBeUndefined();
  const stop = await act({ action: "stop", scope: "namespace", namespace: "pair" });
  expect(stop).toMatchObject({ scope: "namespace", name: "pair" });
  expect(await statusOf("cluster")).toEqual(["stopped", "stopped"]);
});

longTest("a start that does not stay online fails", async () => {
  await stopped("ends");
  const record = (await ports.processes.list()).find(({ name }) => name === "ends")!;
  writeFileSync(record.script!, "process.exit(3);");
  const world = withStoppedClock(ports);
  const refusal = await refused({ action: "start", name: "ends" }, world);
  expect(refusal).toMatchObject({ kind: "PROCESS_ACTION_FAILED", code: "START_VERIFY_FAILED" });
  expect(refusal.details).toMatch(/exit code 3/);
  await act({ action: "stop", name: "ends" });
  expect(await refused({ action: "restart", name: "ends" }, world)).toMatchObject({ code: "RESTART_VERIFY_FAILED" });
  await act({ action: "stop", name: "ends" });
  expect((await newestRecord(ports.audit, 4)).map(({ outcome, code }) => `${outcome} ${code}`)).toContain(
    "failed START_VERIFY_FAILED",
  );
});

longTest("an action never ends the process that serves the request, and skips it in a namespace", async () => {
  await own.run({ name: "service", namespace: "serving" });
  await own.run({ name: "other", namespace: "serving" });
  const service = (await ports.processes.list()).find(({ name }) => name === "service")!;
  const serving: Ports = {
    ...ports,
    processes: { ...ports.processes, ownProcess: () => ({ pids: [process.pid, service.pid!], pm2: null }) },
  };
  for (const action of ["stop", "restart"] as const) {
    expect(await refused({ action, name: "service" }, serving)).toMatchObject({ kind: "SELF_ACTION_BLOCKED" });
    const { affected, skipped } = await act({ action, scope: "namespace", namespace: "serving" }, serving);
    expect(skipped).toMatchObject([{ name: "service", reason: "SELF_ACTION_BLOCKED" }]);
    expect(affected.map(({ name }) => name)).toEqual(["other"]);
  }
  expect((await ports.processes.list()).find(({ name }) => name === "service")!.pid).toBe(service.pid);
});

test("an action that cannot be recorded is not done", async () => {
  await own.run({ name: "recorded" });
  const auditFile = join(own.folder, "no-file");
  mkdirSync(auditFile);
  const mute = { ...ports, audit: auditLog({ file: auditFile }) };
  const before = (await ports.processes.list()).find(({ name }) => name === "recorded");
  for (const action of ["stop", "restart"] as const)
    expect(await refused({ action, name: "recorded" }, mute)).toMatchObject({ kind: "AUDIT_FAILED" });
  expect((await ports.processes.list()).find(({ name }) => name === "recorded")).toMatchObject({
    pid: before!.pid,
    restartCount: before!.restartCount,
  });
});

longTest("concurrent restarts over several links run one after another, and each succeeds", async () => {
  await own.run({ name: "busy" });
  const worlds = [1, 2, 3].map(() => ({ ...ports, processes: own.link() }));
  const results = await Promise.all(worlds.map((world) => act({ action: "restart", name: "busy" }, world)));
  expect(new Set(results.map(({ affected }) => affected[0]!.pid)).size).toBe(3);
  expect((await ports.processes.list()).find(({ name }) => name === "busy")).toMatchObject({ restartCount: 3 });
});

test("a caller without the right is refused before anything is read", async () => {
  const reader: Caller = { source: "ws", grants: ["read"] };
  await expect(execute(processAct, ports, { action: "stop", name: "api" }, reader)).rejects.toMatchObject({
    kind: "UNAUTHORIZED",
  });
});
