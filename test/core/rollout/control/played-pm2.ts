/** A PM2 in memory that does what svcm requests, unless a test says otherwise. Time passes only while svcm waits. */
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { Listener } from "../../../../src/core/files/reading.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import type { ApplyPorts } from "../../../../src/core/rollout/ports.ts";
import { record } from "../../../support/process-record.ts";

type Fields = Partial<ProcessRecord>;

/** `undefined`: as PM2 does it; fields: what the process becomes; null: PM2 loses it. */
type Answer = Fields | Error | null | undefined;

export interface Play {
  /** Of each request, such as `restart 3`. */
  readonly on?: (call: string, nowMs: number) => Answer;
  /** Of each look. */
  readonly look?: (list: readonly ProcessRecord[], nowMs: number) => readonly ProcessRecord[];
  readonly missing?: readonly string[];
  readonly listeners?: readonly Partial<Listener>[];
  readonly unlisted?: (nowMs: number) => readonly number[];
}

export const STOPPED = { status: "stopped", pid: null, startedAt: null } as const;

export function running(pmId: number, more: Fields = {}): ProcessRecord {
  const run = { status: "online", pid: 100 + pmId, startedAt: 1, lastStartAt: 1 };
  return record({ pmId, uniqueId: `u${pmId}`, ...run, ...more });
}

export function playPm2(first: readonly ProcessRecord[], play: Play = {}) {
  let nowMs = 10_000;
  let list = [...first];
  let nextPid = 1000;
  const calls: string[] = [];
  const change = (pmId: number, fields: Fields): void =>
    void (list = list.map((one) => (one.pmId === pmId ? { ...one, ...fields } : one)));
  const request = (call: string, pmId: number, normal: () => void): void => {
    calls.push(call);
    const answer = play.on?.(call, nowMs);
    if (answer instanceof Error) throw answer;
    if (answer === null) list = list.filter((one) => one.pmId !== pmId);
    else if (answer === undefined) normal();
    else change(pmId, answer);
  };
  const isUp = (pmId: number): boolean => list.find((one) => one.pmId === pmId)?.status === "online";
  const begin = (what: string) => async (target: Pick<ProcessRecord, "pmId">) => {
    const before = list.find(({ pmId }) => pmId === target.pmId);
    request(`${what} ${target.pmId}`, target.pmId, () => {
      const restartCount = (before?.restartCount ?? 0) + Number(isUp(target.pmId));
      change(target.pmId, {
        status: "online",
        pid: (nextPid += 1),
        startedAt: nowMs,
        lastStartAt: nowMs,
        restartCount,
      });
    });
    return before;
  };
  const add = (name: string, fields: Fields): void => {
    const pmId = Math.max(-1, ...list.map((one) => one.pmId)) + 1;
    const run = { pid: (nextPid += 1), startedAt: nowMs, lastStartAt: nowMs };
    list.push(running(pmId, { name, ...run, ...fields }));
  };
  const look = async (): Promise<readonly ProcessRecord[]> => play.look?.(list, nowMs) ?? list;
  const processes = {
    list: look,
    withHomeKey: async () => ({ list: look, digest: (text: string) => text }),
    withLock: async (_scope: unknown, work: () => Promise<unknown>) => await work(),
    ownProcess: () => ({ pids: [], pm2: null }),
    lostDaemons: () => [],
    survivors: async () => [],
    unlistedPids: async () => play.unlisted?.(nowMs) ?? [],
    start: begin("start"),
    restart: begin("restart"),
    reload: begin("reload"),
    stop: async ({ pmId }: ProcessRecord) => request(`stop ${pmId}`, pmId, () => change(pmId, STOPPED)),
    remove: async ({ pmId }: ProcessRecord) =>
      request(`delete ${pmId}`, pmId, () => void (list = list.filter((one) => one.pmId !== pmId))),
    suspend: async ({ pid }: ProcessRecord, isSuspended: boolean) =>
      void calls.push(`${isSuspended ? "suspend" : "resume"} ${pid}`),
    duplicate: async ({ name, pmId }: ProcessRecord) => request(`duplicate ${pmId}`, -1, () => add(name, {})),
    startApp: async (name: string, apps: readonly unknown[]) =>
      request(`start app ${name}`, -1, () => apps.forEach(() => add(name, {}))),
    registerApp: async (name: string) =>
      request(`register ${name}`, -1, () => add(name, { ...STOPPED, lastStartAt: null })),
    saveList: async () => void calls.push("save"),
    listenForReady: async () => undefined,
    readyAt: async () => undefined,
    writtenErrors: async () => undefined,
  };
  const ports = {
    clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    processes,
    stamps: {
      missing: (paths: readonly string[]) => new Set([...paths].filter((path) => play.missing?.includes(path))),
      read: (paths: readonly string[]) => paths.map(() => null),
      names: () => [],
    },
    machine: { listeners: async () => play.listeners ?? [], openTrees: async () => undefined },
    workspace: { pm2Home: "/pm2", root: "/srv" },
    audit: { newest: async () => ({ records: [] }) },
    schedules: { next: async () => undefined },
    processLogs: {
      readCoverage: async () => ({ exists: false, fromMs: null }),
      readErrorTail: async () => undefined,
      readEarlyErrors: async () => [],
      readPm2Log: async () => ({ entries: [], isComplete: true, isTruncated: false }),
    },
    health: { check: async () => ({ state: "healthy", pid: null }) },
  };
  return {
    ports: ports as unknown as ApplyPorts,
    calls,
    change,
    add,
    list: () => list,
    waitedMs: () => nowMs - 10_000,
  };
}

export function refusal(
  code: "PM2_ACTION_FAILED" | "PM2_TIMEOUT" | "APP_ALREADY_KNOWN" | "APP_NEVER_SETTLES",
  details = "PM2 refuses.",
): SvcmError {
  return new SvcmError("PM2_FAILED", { code, details });
}
