/** A wait for processes, a scale of an app, and a single run of a job. */
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../src/core/access/operation.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { processRun, processScale, processWait } from "../../../src/core/rollout/operations/process-wait.ts";
import { record } from "../../support/process-record.ts";
import { running, STOPPED, type Play } from "./control/played-pm2.ts";
import { playRollout } from "./played-rollout.ts";

const caller: Caller = { source: "cli", grants: ["read", "act"] };
const { declaration } = record();
const TASK = { declaration: { ...declaration, settings: { autorestart: false } } };

function play(list: readonly ProcessRecord[], how: Play = {}) {
  const world = playRollout(list);
  Object.assign(world.play, how);
  const tell = async (work: Promise<unknown>) => {
    const answer = await work.catch((error: unknown) => error);
    const body = answer instanceof SvcmError ? answer.body : undefined;
    return { answer, code: body?.code, details: body?.details, calls: world.pm2.calls, waitedMs: world.pm2.waitedMs() };
  };
  return { ...world, tell };
}

describe("a wait", () => {
  const wait = (list: readonly ProcessRecord[], input: object = {}, how: Play = {}) => {
    const { tell, ports } = play(list, how);
    return tell(processWait.run(ports, { names: [], pmIds: [], ...input }, caller));
  };
  const other = running(1, { name: "other", namespace: "shop", ...STOPPED });
  test.each<[string, readonly ProcessRecord[], object, boolean, readonly number[], number]>([
    ["ends when a process has been online for a second", [running(0)], {}, true, [0], 1000],
    ["is for each process without a name", [running(0), other], { timeoutMs: 2000 }, false, [0, 1], 2000],
    ["is for the named one", [running(0), other], { names: ["api"] }, true, [0], 1000],
    ["is for the one with that number", [running(0), other], { pmIds: [0] }, true, [0], 1000],
    ["is for those of a namespace", [running(0), other], { namespace: "default" }, true, [0], 1000],
    ["ends at its limit", [running(0)], { timeoutMs: 300 }, false, [0], 300],
    ["ends at once if PM2 has given up", [running(0, { ...STOPPED, status: "errored" })], {}, false, [0], 0],
    ["ends if the process was never started", [running(0, { pid: null })], {}, false, [0], 1000],
  ])("%s", async (_what, list, input, ok, pmIds, waitedMs) => {
    const { answer } = await wait(list, input);
    expect(answer).toMatchObject({ ok, waitedMs, processes: pmIds.map((pmId) => ({ pmId })) });
  });

  test("begins again with each restart", async () => {
    const how: Play = { look: (list, nowMs) => list.map((one) => ({ ...one, pid: nowMs < 10_700 ? 1 : 2 })) };
    expect((await wait([running(0)], {}, how)).answer).toMatchObject({ ok: true, waitedMs: 1700 });
  });
});

describe("a scale", () => {
  const scale = (list: readonly ProcessRecord[], instances: number, more: object = {}, how: Play = {}) => {
    const world = play(list, how);
    const answer = world.tell(processScale.run(world.ports, { name: "api", instances, ...more }, caller));
    return answer.then((found) => ({ ...found, audits: world.audits }));
  };
  const three = [running(0), running(1), running(2)];
  test.each<[string, number, readonly string[], object]>([
    ["up", 5, ["duplicate 0", "duplicate 0"], { from: 3, to: 5, now: 5, affected: [{ pmId: 3 }, { pmId: 4 }] }],
    ["down", 1, ["delete 2", "delete 1"], { from: 3, to: 1, now: 1 }],
    ["to what it is", 3, [], { from: 3, to: 3, now: 3, affected: [] }],
  ])("%s is from the number that PM2 lists, and is recorded", async (_what, to, calls, expected) => {
    const { answer, calls: made, audits } = await scale(three, to);
    expect([answer, made]).toMatchObject([expected, calls]);
    expect(audits.at(-1)).toMatchObject({ action: "process.scale", outcome: "succeeded" });
    expect(audits.at(-1)?.processes).toHaveLength(Math.max(3, to));
    expect(audits.at(-1)).not.toHaveProperty("target", "api");
  });

  test("counts no app of another namespace or name", async () => {
    const others = [running(1, { name: "web" }), running(2, { namespace: "shop" })];
    expect((await scale([running(0), ...others], 2, { namespace: "default" })).answer).toMatchObject({
      from: 1,
      now: 2,
    });
  });

  test("fails with --wait if what it starts does not become healthy", async () => {
    const list = [running(0, { name: "restapi", httpPort: 3000 })];
    const world = play(list);
    const answer = { state: "unhealthy", code: "HEALTH_STATUS", details: "It answers 503.", pid: null } as const;
    Object.assign(world.ports, { health: { check: async () => answer } });
    const scaled = (wait: boolean, instances: number) =>
      world.tell(processScale.run(world.ports, { name: "restapi", instances, wait, timeoutMs: 5000 }, caller));
    expect((await scaled(false, 2)).answer).toMatchObject({ ok: true, now: 2 });
    expect((await scaled(true, 1)).answer).toMatchObject({ ok: true, now: 1 });
    expect(await scaled(true, 2)).toMatchObject({ code: "HEALTH_STATUS", details: expect.stringContaining("503") });
  });
});

describe("a run", () => {
  const run = (target: ProcessRecord, how: Play = {}, more: object = {}) => {
    const world = play([target, running(7, { name: "other" })], how);
    const answer = world.tell(processRun.run(world.ports, { name: "api", ...more }, caller));
    return answer.then((found) => ({ ...found, audits: world.audits }));
  };
  const task = (more: Partial<ProcessRecord> = {}) => running(0, { ...TASK, ...STOPPED, ...more });
  const ended = { ...STOPPED, lastStartAt: 10_000, exitCode: 0 };
  const later =
    (fields: Partial<ProcessRecord>): NonNullable<Play["look"]> =>
    (list, nowMs) =>
      list.map((one) => (nowMs < 10_500 || one.pmId !== 0 ? one : { ...one, ...fields }));

  test.each<[string, Partial<ProcessRecord>, Partial<ProcessRecord>, object]>([
    ["succeeds", {}, ended, { outcome: "succeeded", exitCode: 0, ms: 500 }],
    ["fails", {}, { ...ended, exitCode: 3 }, { outcome: "failed", exitCode: 3 }],
    ["ends unknown in cluster mode", { execMode: "cluster" }, ended, { outcome: "unknown" }],
  ])("that %s says so", async (_what, target, end, expected) => {
    const { answer, calls, audits } = await run(task(target), { look: later(end) });
    expect([answer, calls]).toMatchObject([{ name: "api", pmId: 0, ...expected }, ["start 0"]]);
    expect(audits.map(({ outcome, processes }) => [outcome, processes?.[0]?.pmId])).toEqual([
      ["started", 0],
      ["succeeded", 0],
    ]);
  });

  test("of one of several instances says which it left alone", async () => {
    const world = play([task(), running(1, { ...TASK, ...STOPPED })], { look: later(ended) });
    const { answer, calls } = await world.tell(processRun.run(world.ports, { name: "api" }, caller));
    expect(calls).toEqual(["start 0"]);
    expect((answer as { readonly details: string }).details).toBe(
      "It ended with exit code 0. svcm run starts one instance of an app, so it left the others alone: id 1.",
    );
  });

  test("that is longer than the limit goes on", async () => {
    const { answer, waitedMs } = await run(task(), {}, { timeoutMs: 3000 });
    expect(answer).toMatchObject({ outcome: "running", exitCode: null, ms: 3000 });
    expect((answer as { readonly details: string }).details).toBe(
      "It still runs after 3 s, and svcm leaves it running. A script that ends without process.exit() can stay online under PM2.",
    );
    expect(waitedMs).toBe(3000);
  });

  test.each<[string, ProcessRecord, string]>([
    ["a service", running(0, STOPPED), "NOT_A_JOB"],
    ["a job that runs", running(0, TASK), "JOB_RUNNING"],
  ])("of %s is refused, and starts nothing", async (_what, target, code) => {
    expect(await run(target)).toMatchObject({ code, calls: [] });
  });

  test("of a process that PM2 no longer lists says so", async () => {
    const { code, details } = await run(task(), { look: (list, nowMs) => (nowMs < 10_300 ? list : []) });
    const unseen = "The run of api (id 0) had begun, and svcm did not see its end";
    expect([code, details]).toEqual(["PROCESS_CHANGED", `${unseen}: PM2 no longer lists api (id 0).`]);
  });
});
