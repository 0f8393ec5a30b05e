/** The way back of an app, in a PM2 that is played: what it asks of PM2, and what it reports. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { revertApps } from "../../../src/core/rollout/apply/revert-apps.ts";
import { definitionText } from "../../../src/core/rollout/plan.ts";
import type { FormerProcess } from "../../../src/core/rollout/release.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

type Fields = Partial<ProcessRecord>;
const up = (pmId: number, more: Fields = {}): ProcessRecord =>
  record({ pmId, uniqueId: `u${pmId}`, pid: 100 + pmId, status: "online", startedAt: 1, lastStartAt: 1, ...more });
const STOPPED = { status: "stopped", pid: null, startedAt: null } as const;
const NEW = { cwd: "/new" };
const CLUSTER = { execMode: "cluster" } as const;
const { declaration } = record();
const JOB = { declaration: { ...declaration, settings: { autorestart: false, cronRestart: "digest" } } };

interface Scene {
  readonly busy?: readonly number[];
  /** Numbers of those that did not stay up before. */
  readonly failing?: readonly number[];
  readonly hasNewEnvFile?: boolean;
  /** PM2 launches them again and again. */
  readonly isLooping?: boolean;
  /** PM2 does not run. */
  readonly isDown?: boolean;
}

async function revert(before: readonly ProcessRecord[], now: readonly ProcessRecord[], scene: Scene = {}) {
  const { busy = [], failing = [], hasNewEnvFile = false, isLooping = false, isDown = false } = scene;
  let nowMs = 10_000;
  let listed = [...now];
  const calls: string[] = [];
  const former = before.map((one): FormerProcess => {
    const { name, pmId, uniqueId, pid } = one;
    const isFailing = failing.includes(pmId) && { isFailing: true };
    return {
      name,
      pmId,
      uniqueId,
      pid,
      isStopped: one.status === "stopped",
      definition: definitionText(one),
      ...isFailing,
    };
  });
  const change = (pmId: number, fields: Fields) =>
    void (listed = listed.map((one) => (one.pmId === pmId ? { ...one, ...fields } : one)));
  const start = (what: string) => async (target: ProcessRecord, run?: unknown) => {
    calls.push(`${what} ${target.pmId}`);
    const old = run === undefined ? {} : { cwd: before.find(({ pmId }) => pmId === target.pmId)?.cwd ?? null };
    change(target.pmId, { ...old, status: "online", pid: (nowMs += 1), startedAt: nowMs, lastStartAt: nowMs });
    return target;
  };
  let looks = 0;
  const list = async (): Promise<readonly ProcessRecord[]> => {
    if (isDown) throw new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING" });
    if (isLooping) looks += 1;
    const run: Fields = { status: looks % 2 === 0 ? "online" : "launching", pid: 200 + looks, restartCount: looks };
    return isLooping ? listed.map((one) => ({ ...one, ...run })) : listed;
  };
  const processes = {
    list,
    withLock: (_target: unknown, work: () => Promise<unknown>) => work(),
    unlistedPids: async () => [],
    start: start("start"),
    restart: start("restart"),
    reload: start("reload"),
    stop: async ({ pmId }: ProcessRecord) => (calls.push(`stop ${pmId}`), change(pmId, STOPPED)),
    remove: async ({ pmId }: ProcessRecord) => {
      calls.push(`delete ${pmId}`);
      listed = listed.filter((one) => one.pmId !== pmId);
    },
    restore: async (_run: unknown, pmId: number) => {
      calls.push(`restore ${pmId}`);
      const old = before.find((one) => one.pmId === pmId);
      if (old !== undefined) listed = [...listed, { ...old, pmId: pmId + 10, pid: (nowMs += 1) }];
    },
    suspend: async () => undefined,
    withHomeKey: async () => ({ list, digest: (text: string) => text }),
  };
  const ports = {
    clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    stamps: { missing: () => new Set() },
    machine: { openTrees: async () => undefined },
    processes,
    releases: {
      changedEnvFiles: async () => new Map(hasNewEnvFile ? [["/srv/.env", "copy"]] : []),
      recordsFile: () => "records",
    },
  };
  const head = { before: former, left: { apps: {} } };
  const requirement = { deadlineMs: 1000, minHealthyMs: 0 };
  const context = { head, requirementOf: () => requirement, busy: new Set(busy), add: async () => undefined };
  const { reasons, pinned } = await revertApps(ports as never, context as never, ["api"]);
  return { calls, reasons, pinned: [...pinned] };
}

test.each<[string, ProcessRecord[], ProcessRecord[], Scene, string[]]>([
  ["as before", [up(0)], [up(0)], {}, []],
  ["with another definition", [up(0)], [up(0, NEW)], {}, ["restart 0"]],
  ["in cluster mode", [up(0, CLUSTER)], [up(0, { ...CLUSTER, ...NEW })], {}, ["reload 0"]],
  ["while PM2 reloads it", [up(0, CLUSTER)], [up(0, { ...CLUSTER, ...NEW })], { busy: [0] }, ["restart 0"]],
  ["new", [], [up(0)], {}, ["delete 0"]],
  ["new, in a PM2 that did not start", [], [], { isDown: true }, []],
  ["with one instance more", [up(0)], [up(0), up(1)], {}, ["delete 1"]],
  ["as another process of that number", [up(0)], [up(0, { uniqueId: "other" })], {}, ["delete 0", "restore 0"]],
  ["no longer", [up(0)], [], {}, ["restore 0"]],
  ["stopped since", [up(0)], [up(0, STOPPED)], {}, ["start 0"]],
  ["started since", [up(0, STOPPED)], [up(0)], {}, ["stop 0"]],
  ["started since, as a job", [up(0, { ...JOB, ...STOPPED })], [up(0, JOB)], {}, []],
  ["stopped, with another definition", [up(0, STOPPED)], [up(0, { ...STOPPED, ...NEW })], {}, ["restart 0", "stop 0"]],
  ["stopped in cluster mode", [up(0, CLUSTER)], [up(0, { ...CLUSTER, ...STOPPED, ...NEW })], {}, ["restart 0"]],
  ["as badly as before", [up(0)], [up(0, { status: "waiting restart" })], { failing: [0] }, []],
  ["with a former env file, not restarted", [up(0)], [up(0)], { hasNewEnvFile: true }, []],
  ["with a former env file, restarted since", [up(0)], [up(0, { pid: 7 })], { hasNewEnvFile: true }, ["restart 0"]],
])("an app that runs %s", async (_what, before, now, scene, calls) => {
  const pinned = scene.hasNewEnvFile === true && calls.length > 0 ? ["api"] : [];
  expect(await revert(before, now, scene)).toEqual({ calls, reasons: [], pinned });
});

test.each<[string, Scene, string[]]>([
  ["one that ran", {}, ["api: 1 of 2 processes is online."]],
  ["one that did not stay up before either", { failing: [1] }, []],
])("a process that PM2 goes on launching is reported if it was %s", async (_what, scene, reasons) => {
  const now = [up(0), up(1, { status: "launching" })];
  expect(await revert([up(0), up(1)], now, scene)).toMatchObject({ reasons });
});

test("an app that is online only for the moment of a look does not run as before", async () => {
  const { reasons } = await revert([up(0)], [up(0)], { isLooping: true });
  expect(reasons).toEqual(["api: 0 of 1 process are online."]);
});

test("a process that PM2 shows between two runs is stopped before its start", async () => {
  const { calls, reasons } = await revert([up(0)], [up(0, { status: "stopped", unstableRestarts: 1 })]);
  expect(calls).toEqual(["stop 0", "start 0"]);
  expect(reasons).toEqual([]);
});
