/** Each kind of step: what it asks of PM2, in which order, and when it ends without touching anything. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { findTargets, runStep } from "../../../../src/core/rollout/apply/run-step.ts";
import type { DecidedStep } from "../../../../src/core/rollout/step.ts";
import { record } from "../../../support/process-record.ts";
import { playPm2, running, STOPPED, type Play } from "../control/played-pm2.ts";
import { loaded, type Fields } from "../loaded.ts";

const { declaration } = record();
const JOB = { declaration: { ...declaration, settings: { autorestart: false, cronRestart: "x" } } };

interface Scene extends Play {
  readonly apps?: readonly Fields[];
  /** PM2's list at the time of the plan. */
  readonly planned?: readonly ProcessRecord[];
  readonly healthyPids?: ReadonlyMap<number, number | null>;
}

function makeStep(more: Partial<DecidedStep>): DecidedStep {
  return { do: "update", app: "api", pmIds: [], disruption: "none", why: [], notes: [], ...more };
}

async function run(step: Partial<DecidedStep>, list: readonly ProcessRecord[], scene: Scene = {}) {
  const pm2 = playPm2(list, scene);
  const boots: string[] = [];
  const healthy = new Map([...(scene.healthyPids ?? [])].map(([pmId, pid]) => [pmId, { pid, atMs: 0 }]));
  const context = {
    ports: pm2.ports,
    loaded: loaded(scene.apps ?? [{}]),
    expecting: { machine: { cpuCores: 1, pm2Home: "/pm2" }, spellings: [], digest: (text: string) => text },
    running: scene.planned ?? list,
    before: [],
    requirementOf: () => ({ probe: undefined, deadlineMs: 2000, minHealthyMs: 0 }),
    onPendingReload: () => undefined,
    onBoot: (app: string, ms: number) => void boots.push(`${app} ${ms}`),
    healthy,
  } as unknown as Parameters<typeof runStep>[0];
  const decided = makeStep(step);
  const answer = await findTargets(context, decided)
    .then((targets) => runStep(context, decided, targets))
    .catch((error: unknown) => error);
  const body = answer instanceof SvcmError ? answer.body : undefined;
  return {
    answer,
    code: body?.code,
    details: body?.details,
    calls: pm2.calls,
    healthy: [...healthy].map(([pmId, { pid }]) => [pmId, pid]),
    list: pm2.list(),
  };
}

describe("a step", () => {
  test.each<[string, Partial<DecidedStep>, readonly ProcessRecord[], Scene, readonly string[]]>([
    ["saves PM2's list", { do: "save" }, [], {}, ["save"]],
    ["starts an app", { do: "start" }, [], {}, ["start app api"]],
    [
      "starts what is stopped, and nothing else",
      { do: "resume", pmIds: [0, 1] },
      [running(0), running(1, STOPPED)],
      {},
      ["start 1"],
    ],
    ["updates one process after another", { pmIds: [0, 1] }, [running(0), running(1)], {}, ["restart 0", "restart 1"]],
    [
      "updates those first that do not run",
      { pmIds: [0, 1] },
      [running(0), running(1, STOPPED)],
      {},
      ["restart 1", "restart 0"],
    ],
    ["reloads if the plan says so", { pmIds: [0], method: "reload" }, [running(0)], {}, ["reload 0"]],
    [
      "replaces by a deletion and a start",
      { do: "replace", pmIds: [0] },
      [running(0)],
      {},
      ["delete 0", "start app api"],
    ],
    ["removes", { do: "remove", pmIds: [0, 1] }, [running(0), running(1)], {}, ["delete 0", "delete 1"]],
    [
      "registers a job anew",
      { do: "register", pmIds: [0] },
      [running(0, { ...JOB, ...STOPPED })],
      { apps: [{ autorestart: false, cron_restart: "x" }] },
      ["delete 0", "register api"],
    ],
    ["scales up", { do: "scale", instances: { from: 1, to: 3 } }, [running(0)], {}, ["duplicate 0", "duplicate 0"]],
    [
      "scales down to the number that the plan has",
      { do: "scale", instances: { from: 3, to: 1 } },
      [running(0), running(1), running(2)],
      {},
      ["delete 2", "delete 1"],
    ],
    [
      "scales nothing if the number is right already",
      { do: "scale", instances: { from: 1, to: 1 } },
      [running(0), running(1, { name: "other" })],
      {},
      [],
    ],
  ])("%s", async (_what, step, list, scene, calls) => {
    const { answer, calls: made } = await run(step, list, scene);
    expect([answer, made]).toEqual([undefined, calls]);
  });

  test("notes which process became healthy", async () => {
    expect((await run({ pmIds: [0] }, [running(0)])).healthy).toEqual([[0, 1001]]);
    expect((await run({ do: "start" }, [])).healthy).toEqual([[0, 1001]]);
    expect((await run({ do: "remove", pmIds: [0] }, [running(0)])).healthy).toEqual([]);
  });

  test("gives the next run the declared variables, and drops those that are stale", async () => {
    const why = [
      { field: "env", state: "stale", key: "GONE", pmIds: [0] },
      { field: "env", state: "different", key: "A", pmIds: [0] },
      { field: "script", state: "stale", key: null, pmIds: [0] },
    ] as never;
    const seen: unknown[] = [];
    const pm2 = playPm2([running(0)]);
    const own = pm2.ports.processes;
    const processes = {
      ...pm2.ports.processes,
      restart: (target: never, next: unknown) => (seen.push(next), own.restart(target)),
    };
    const list = [running(0)];
    const context = {
      ports: { ...pm2.ports, processes },
      loaded: loaded([{ env: { A: "1" } }]),
      expecting: { machine: { cpuCores: 1 }, spellings: [], digest: (text: string) => text },
      running: list,
      before: [],
      requirementOf: () => ({ deadlineMs: 2000, minHealthyMs: 0 }),
      healthy: new Map(),
    } as unknown as Parameters<typeof runStep>[0];
    await runStep(context, makeStep({ pmIds: [0], why }), list);
    expect(seen).toMatchObject([{ app: { env: { A: "1" } }, drop: ["GONE"] }]);
  });
});

describe("a process that is not the one of the plan", () => {
  const other = { declaration: { ...declaration, argsDigest: "other" } };
  test.each<[string, Partial<DecidedStep>, readonly ProcessRecord[], string | undefined]>([
    ["has another definition", { pmIds: [0] }, [running(0, other)], "PROCESS_CHANGED"],
    ["is gone", { pmIds: [0] }, [], "PROCESS_CHANGED"],
    ["is gone, as it should be", { do: "remove", pmIds: [0] }, [], undefined],
    [
      "has another definition, and would be deleted",
      { do: "remove", pmIds: [0] },
      [running(0, other)],
      "PROCESS_CHANGED",
    ],
  ])("%s", async (_what, step, list, code) => {
    const found = await run(step, list, { planned: [running(0)] });
    expect([found.code, found.calls]).toEqual([code, []]);
    if (code !== undefined)
      expect(found.details).toBe("The process with PM2's number 0 changed after the plan was computed.");
  });
});

describe("an instance that answers", () => {
  const errored = { status: "errored", pid: null, startedAt: null } as const;
  test.each<[string, Partial<ProcessRecord>, Scene, string | undefined]>([
    ["is not ended while another one fails", errored, {}, "SIBLING_FAILING"],
    [
      "is not ended if another one has become another process since it was healthy",
      {},
      { healthyPids: new Map([[1, 9]]) },
      "SIBLING_FAILING",
    ],
    ["is ended if the other one is as it was healthy", {}, { healthyPids: new Map([[1, 101]]) }, undefined],
    ["is ended if what fails is another app", { ...errored, name: "other" }, {}, undefined],
    ["is ended if the other one is stopped", STOPPED, {}, undefined],
  ])("%s", async (_what, more, scene, code) => {
    const { code: found, details, calls } = await run({ pmIds: [0] }, [running(0), running(1, more)], scene);
    expect(found).toBe(code);
    expect(calls).toEqual(code === undefined ? ["restart 0"] : []);
    if (code !== undefined)
      expect(details).toBe("api (id 1) does not stay up, so svcm does not end api (id 0), which answers.");
  });

  test("is not at stake if the process itself fails or is stopped", async () => {
    for (const more of [errored, STOPPED])
      expect((await run({ pmIds: [0] }, [running(0, more), running(1, errored)])).calls).toEqual(["restart 0"]);
  });
});

test("a job that the schedule has begun since the plan is waited for, and not ended", async () => {
  const apps = [{ autorestart: false, cron_restart: "x" }];
  const { code, calls } = await run({ do: "register", pmIds: [0] }, [running(0, JOB)], { apps });
  expect([code, calls]).toEqual(["JOB_RUNNING", []]);
  const look: Play["look"] = (list, nowMs) => list.map((one) => (nowMs < 10_500 ? one : { ...one, ...STOPPED }));
  expect((await run({ do: "register", pmIds: [0] }, [running(0, JOB)], { apps, look })).calls.slice(0, 1)).toEqual([
    "delete 0",
  ]);
});
