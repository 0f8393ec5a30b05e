/** `svcm start`, `stop`, `restart`, `reload` and `delete` from the request to the answer, on a PM2 in memory. */
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../../src/core/access/operation.ts";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { processAct, type ProcessActionResult } from "../../../../src/core/rollout/operations/process-act.ts";
import { record } from "../../../support/process-record.ts";
import { api, failTimes, playApplied, playRollout, WORKER } from "../played-rollout.ts";
import { running, STOPPED } from "./played-pm2.ts";

type World = ReturnType<typeof playRollout>;
type Input = Parameters<typeof processAct.run>[1];

const caller: Caller = { source: "cli", actor: "amy", grants: ["read", "act"] };
const TASK = { declaration: { ...record().declaration, settings: { autorestart: false } } };

/** Two instances of api, and the apps web and job in the namespace shop. */
const shop = (): World =>
  playRollout([
    running(1),
    running(0),
    running(2, { name: "job", namespace: "shop", ...TASK, ...STOPPED }),
    running(3, { name: "web", namespace: "shop", cronRestart: "0 3 * * *" }),
  ]);

async function act({ ports, pm2, audits }: World, input: Input, by = caller) {
  [pm2.calls.length, audits.length] = [0, 0];
  const answer = await processAct.run(ports, input, by).catch((error: unknown) => error);
  if (answer instanceof Error && !(answer instanceof SvcmError)) throw answer;
  const named = (all: readonly { readonly name: string; readonly pmId: number | null }[] = []) =>
    all.map(({ name, pmId }) => `${name} ${pmId}`).join();
  const ended = audits.at(-1);
  const recorded = { target: ended?.target, processes: named(ended?.processes), code: ended?.code };
  const calls = [...pm2.calls];
  if (answer instanceof SvcmError) {
    const { code, details = "", processes } = answer.body;
    return { kind: answer.kind, code, details, processes: named(processes), calls, recorded };
  }
  const { affected, skipped, warnings, applied, ...rest } = answer as ProcessActionResult;
  const left = skipped.map(({ name, pmId, reason }) => `${name} ${pmId} ${reason}`);
  const fields = applied?.map(({ name, field, key }) => `${name} ${key ?? field}`);
  return { ...rest, affected: named(affected), skipped: left, warnings, applied: fields, calls, recorded };
}

const SCHEDULED = "PM2 still starts web on its schedule, 0 3 * * *. To end that, too: svcm delete web";

describe("of processes", () => {
  test.each<[string, Input, object]>([
    [
      "all instances of a name",
      { action: "restart", name: "api" },
      { name: "api", pmId: undefined, affected: "api 0,api 1", skipped: [], calls: ["restart 1", "restart 0"] },
    ],
    [
      "one number",
      { action: "restart", pmId: 1 },
      { pmId: 1, affected: "api 1", calls: ["restart 1"], recorded: { processes: "api 1", target: undefined } },
    ],
    [
      "a stop of a namespace, in which one is stopped already, and the other has a schedule",
      { action: "stop", scope: "namespace", namespace: "shop" },
      {
        name: "shop",
        affected: "web 3",
        skipped: ["job 2 ALREADY_STOPPED"],
        warnings: [{ code: "PROCESS_STILL_SCHEDULED", path: ["apps", "web"], message: SCHEDULED }],
        recorded: { target: "namespace shop", processes: "job 2,web 3", code: undefined },
      },
    ],
    [
      "a start of a namespace does not run its jobs",
      { action: "start", scope: "namespace", namespace: "shop" },
      { affected: "", skipped: ["job 2 JOB_WAITS", "web 3 ALREADY_RUNNING"], calls: [] },
    ],
    ["a deletion, which ends the schedule", { action: "delete", name: "web" }, { affected: "web 3", warnings: [] }],
    [
      "a stop of what is stopped",
      { action: "stop", name: "job" },
      { affected: "", pmId: 2, skipped: ["job 2 ALREADY_STOPPED"], recorded: { code: "ALREADY_STOPPED" } },
    ],
    [
      "a name that PM2 does not know",
      { action: "restart", name: "nope" },
      { kind: "PROCESS_NOT_FOUND", calls: [], recorded: { target: "nope", processes: "" } },
    ],
  ])("%s", async (_what, input, expected) => {
    expect(await act(shop(), input)).toMatchObject(expected);
  });

  test("a failure names the processes, what succeeded, and is recorded", async () => {
    const world = shop();
    world.play.on = failTimes(["restart 0"]);
    const code = "RESTART_VERIFY_FAILED";
    expect(await act(world, { action: "restart", name: "api" })).toMatchObject({
      kind: "PROCESS_ACTION_FAILED",
      code,
      details: expect.stringContaining("Succeeded: api (id 1)."),
      processes: "api 1,api 0",
      recorded: { processes: "api 1,api 0", code },
    });
  });

  test("what a stopped app leaves behind on its port is named once it has had the time to end", async () => {
    const world = shop();
    const { pm2Home } = world.ports.workspace;
    const socket = { address: "::", port: 3000, waiting: 0, pid: 77, ancestors: [1], program: "node" };
    const listeners = [{ ...socket, origin: { pm2Home, name: "web", pmId: 3 } }];
    Object.assign(world.ports, { machine: { ...world.ports.machine, listeners: async () => listeners } });
    const stopped = await act(world, { action: "delete", name: "web" });
    const message = expect.stringMatching(/3000.*web.* To end it: kill 77$/);
    expect(stopped).toMatchObject({ warnings: [{ code: "PROCESS_LEFT_OVER", path: ["apps", "web"], message }] });
    expect(world.pm2.waitedMs()).toBeGreaterThanOrEqual(3000);
    expect(await act(world, { action: "stop", name: "api" })).toMatchObject({ warnings: [] });
  });
});

describe("until it is healthy", () => {
  const unhealthy = { state: "unhealthy", code: "HEALTH_STATUS", details: "It answers 503.", pid: null } as const;
  const probed = (list: readonly ProcessRecord[]): World => {
    const world = playRollout(list.map((one) => ({ ...one, name: "restapi", httpPort: 3000 })));
    Object.assign(world.ports, { health: { check: async () => unhealthy } });
    return world;
  };
  const two = [running(0), running(1)];

  test("with --wait, the next instance is left as it is if one does not become healthy", async () => {
    const answer = await act(probed(two), { action: "restart", name: "restapi", wait: true, timeoutMs: 5000 });
    expect(answer).toMatchObject({ code: "HEALTH_STATUS", calls: ["restart 0"] });
    expect(answer).toMatchObject({ details: expect.stringContaining("Not begun because an instance before failed") });
  });

  test("a stop and a deletion wait for no health", async () => {
    const stop = { action: "stop", name: "restapi", wait: true } as const;
    expect(await act(probed(two), stop)).toMatchObject({ affected: "restapi 0,restapi 1" });
    expect(await act(probed(two), { ...stop, action: "delete" })).toMatchObject({ affected: "restapi 0,restapi 1" });
  });

  test("without --wait, a fault in the settings of applies does not keep an app from its restart", async () => {
    const world = shop();
    const fault = new SvcmError("INVALID_REQUEST", { code: "EACCES" });
    const project = async () => Promise.reject(fault);
    Object.assign(world.ports, { facts: { ...world.ports.facts, project } });
    expect(await act(world, { action: "restart", name: "api" })).toMatchObject({ affected: "api 0,api 1" });
    expect(await act(world, { action: "restart", name: "api", wait: true })).toMatchObject({ code: "EACCES" });
  });

  test("svcm listens to PM2 while an app may say that it is ready, and no longer, and not for a stop", async () => {
    const world = shop();
    const listening: boolean[] = [];
    const listenForReady = async (isOn: boolean): Promise<void> => void listening.push(isOn);
    Object.assign(world.ports.processes, { listenForReady });
    world.play.on = failTimes(["restart 3"]);
    await act(world, { action: "restart", name: "web" });
    await act(world, { action: "stop", name: "api" });
    expect(listening).toEqual([true, false]);
  });
});

describe("by the declaration", () => {
  const declared = (next = [api("2"), WORKER]) => playApplied([api("1"), WORKER], next);
  const NEW = { name: "new", script: "/srv/new.js" };

  test("a restart gives the app its present definition, and says which values are new", async () => {
    const world = await declared();
    expect(await act(world, { action: "restart", scope: "ecosystem", name: "api" })).toMatchObject({
      name: "api",
      affected: "api 0",
      applied: ["api A"],
      warnings: [],
      calls: ["restart 0"],
      recorded: { target: "ecosystem api", processes: "api 0" },
    });
    expect(world.pm2.list()[0]?.declaration.environment).toMatchObject({ A: "2" });
    expect(await act(world, { action: "restart", scope: "ecosystem", name: "api" })).toMatchObject({ applied: [] });
  });

  test("a restart of all restarts those that run, and says which one PM2 does not know", async () => {
    expect(await act(await declared([api("2"), WORKER, NEW]), { action: "reload", scope: "ecosystem" })).toMatchObject({
      code: "PROCESS_NOT_FOUND",
      details: expect.stringMatching(/^The reload of 1 of 3 failed\. new: .* Succeeded: api \(id 0\), worker \(id 1\)/),
      processes: "api 0,worker 1,new null",
      calls: ["reload 0", "reload 1"],
      recorded: { target: "ecosystem *" },
    });
  });

  test("a start of all starts what does not run, and leaves the others as they are", async () => {
    const answer = await act(await declared([api("2"), WORKER, NEW]), { action: "start", scope: "ecosystem" });
    expect(answer).toMatchObject({
      name: "*",
      pmId: undefined,
      affected: "new 2",
      skipped: ["api 0 ALREADY_RUNNING", "worker 1 ALREADY_RUNNING"],
      applied: undefined,
      calls: ["start app new"],
    });
    const remedy = "api still runs with another env A. To apply the file: svcm restart api --ecosystem";
    expect(answer).toMatchObject({ warnings: [{ code: "PROCESS_FIELD_NOT_APPLIED", message: remedy }] });
  });

  test.each<[string, Input, object]>([
    ["a name that the file does not have", { action: "start", names: ["wrker"] }, { code: "PROCESS_NOT_FOUND" }],
    ["a named app that PM2 does not know", { action: "restart", name: "new" }, { code: "PROCESS_NOT_FOUND" }],
    [
      "another environment than that of the last apply",
      { action: "restart", environment: "staging" },
      { code: "ENVIRONMENT_SWITCH", details: expect.stringContaining("svcm apply --environment staging") },
    ],
  ])("of %s does nothing", async (_what, input, expected) => {
    const world = await declared([api("2"), WORKER, NEW]);
    const list = async () => ["dev", "staging"].map((name) => `ecosystem.${name}.config.cjs`);
    Object.assign(world.ports.ecosystems, { list });
    const answer = await act(world, { scope: "ecosystem", ...input });
    expect(answer).toMatchObject({ ...expected, calls: [] });
  });
});
