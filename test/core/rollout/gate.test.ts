/** Answers of a process, look by look, and the moment at which the gate of a rollout opens or fails. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import {
  createHealthWaiter,
  HealthGate,
  requireLoaded,
  waitUntilHealthy,
} from "../../../src/core/rollout/apply/gate.ts";
import type { HealthResult } from "../../../src/core/rollout/port-deployed.ts";
import { record } from "../../support/process-record.ts";
import { running, STOPPED } from "./control/played-pm2.ts";
import { playRollout } from "./played-rollout.ts";

const PID = 7;
const probe = { kind: "http", port: 3000, path: "/health", portKey: "SVC_HTTP_PORT" } as const;
const bad = (code: "HEALTH_STATUS" | "HEALTH_UNREACHABLE"): HealthResult => ({
  state: "unhealthy",
  code,
  details: code,
  pid: PID,
});
const ANSWERS: Readonly<Record<string, HealthResult>> = {
  "+": { state: "healthy", pid: PID },
  // Another instance answers.
  o: { state: "healthy", pid: PID + 1 },
  // It does not say who answers.
  "?": { state: "healthy", pid: null },
  "-": bad("HEALTH_STATUS"),
  ".": bad("HEALTH_UNREACHABLE"),
  a: { state: "absent" },
};

/** @param looks an answer for each check; the last one goes on */
async function gate(looks: string, { deadlineMs = 2000, minHealthyMs = 0 } = {}) {
  let nowMs = 10_000;
  const begunMs = nowMs;
  let look = 0;
  const ports = {
    clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    processes: { list: async () => [record({ status: "online", pid: PID, startedAt: begunMs, lastStartAt: begunMs })] },
    health: { check: async () => ANSWERS[looks[Math.min(look, looks.length - 1)] ?? ""] },
  };
  // Each look of the gate, however often it asks for it.
  const sleep = ports.clock.sleep;
  ports.clock.sleep = async (ms) => ((look += 1), await sleep(ms));
  const requirement = { probe, deadlineMs, minHealthyMs };
  const end = await waitUntilHealthy(ports as never, record({ pid: PID }), requirement).then(
    () => "healthy",
    (error: { body: { code: string } }) => error.body.code,
  );
  return { end, looks: look + 1 };
}

describe("the gate", () => {
  test.each<[string, string, string, number]>([
    ["three good answers", "+++", "healthy", 3],
    ["two good ones do not count after a bad one", "++-+++", "healthy", 6],
    ["an app that boots", ".....+++", "healthy", 8],
    ["two bad ones do not count after a good one", "--+--+++", "healthy", 8],
    ["three bad ones", "+---", "HEALTH_STATUS", 4],
    ["it never listens", ".", "HEALTH_UNREACHABLE", 21],
    ["only another instance answers", "o", "HEALTH_UNREACHABLE", 21],
    ["its own answer counts once it comes", "oo+++", "healthy", 5],
    ["a server without a name", "???", "healthy", 3],
    ["an app without such a path", "aaa", "healthy", 3],
  ])("%s: %s is %s at look %i", async (_what, looks, end, count) => {
    expect(await gate(looks)).toEqual({ end, looks: count });
  });

  test.each<[string, string, number, string, number]>([
    ["stays healthy for as long as it must", "+", 1000, "healthy", 11],
    ["which may be longer than the deadline", "+", 3000, "healthy", 31],
    ["no longer listens, after it did", "+++...", 1000, "HEALTH_UNREACHABLE", 6],
    ["is slow once, after it was healthy", "+++..++++", 1000, "healthy", 11],
  ])("a process that %s: %s for %i ms is %s at look %i", async (_what, looks, minHealthyMs, end, count) => {
    expect(await gate(looks, { minHealthyMs })).toEqual({ end, looks: count });
  });
});

const { declaration } = record();
const withSettings = (settings: object) => ({ declaration: { ...declaration, settings } }) as Partial<ProcessRecord>;
const TASK = withSettings({ autorestart: false });
const READY = withSettings({ waitReady: true, listenTimeout: 5000 });

interface Scene {
  readonly more?: Partial<ProcessRecord>;
  /** The process at a time, in milliseconds since its start. */
  readonly later?: (ms: number) => Partial<ProcessRecord> | null;
  readonly answer?: (ms: number, requests: number) => string;
  readonly isNew?: boolean;
  readonly hasProbe?: boolean;
  readonly minHealthyMs?: number;
  readonly readyMs?: number;
}

/** A process with PM2's number 0 that starts at 10 s, beside another one that does not end its end. */
async function wait({ more, later, answer, isNew = false, hasProbe = false, minHealthyMs = 500, readyMs }: Scene) {
  const first = running(0, { pid: PID, startedAt: 10_000, lastStartAt: 10_000, ...more });
  const world = playRollout([first, running(1, { status: "stopped" })]);
  const since = (): number => world.ports.clock.now() - 10_000;
  world.play.look = (list) =>
    list.flatMap((one) =>
      one.pmId !== 0 || later === undefined ? one : later(since()) === null ? [] : { ...one, ...later(since()) },
    );
  let requests = 0;
  const check = async () => ANSWERS[answer?.(since(), (requests += 1)) ?? "+"];
  Object.assign(world.ports, { health: { check } });
  Object.assign(world.ports.processes, {
    readyTimes: async () => new Map(readyMs === undefined ? [] : [[0, 10_000 + readyMs]]),
  });
  const requirement = { probe: hasProbe ? probe : undefined, deadlineMs: 2000, minHealthyMs, isNew };
  const end = await waitUntilHealthy(world.ports, first, requirement).catch((error: unknown) => error);
  const body = end instanceof SvcmError ? end.body : undefined;
  return { end: body?.code ?? end, details: body?.details, ms: since(), requests };
}

describe("a process at the gate", () => {
  const ended = { ...STOPPED, exitCode: 0, lastStartAt: 10_000 };
  test.each<[string, Scene, string, string]>([
    ["is gone", { later: (ms) => (ms < 200 ? {} : null) }, "HEALTH_CRASHED", "PM2 no longer lists it."],
    [
      "began again",
      { later: (ms) => (ms < 200 ? {} : { pid: 8, exitCode: 3 }) },
      "HEALTH_CRASHED",
      "It did not stay online: it ended and PM2 started it again, last with exit code 3.",
    ],
    [
      "is errored",
      { later: (ms) => (ms < 200 ? {} : { ...STOPPED, status: "errored" }) },
      "HEALTH_CRASHED",
      "It did not stay online: PM2 shows it as errored.",
    ],
    [
      "is a service that ends",
      { later: () => ended },
      "HEALTH_CRASHED",
      "It did not stay online: PM2 shows it as stopped, last with exit code 0.",
    ],
    ["is a task that fails", { more: TASK, later: () => ({ ...ended, exitCode: 2 }) }, "HEALTH_CRASHED", "exit code 2"],
    [
      "is not ready in its time",
      { more: READY },
      "HEALTH_NOT_READY",
      "It did not report that it was ready within its listen_timeout of 5 s.",
    ],
    [
      "has not answered yet",
      { hasProbe: true, answer: () => "o" },
      "HEALTH_UNREACHABLE",
      "It has not answered within 2 s.",
    ],
  ])("that %s is not healthy", async (_what, scene, code, details) => {
    const found = await wait(scene);
    expect([found.end, found.details?.startsWith("api (id 0) is not healthy. ")]).toEqual([code, true]);
    expect(found.details).toContain(details);
  });

  test.each<[string, Scene, unknown, number]>([
    ["is online for long enough", {}, undefined, 500],
    ["is a task that has ended well", { more: TASK, later: () => ended }, undefined, 0],
    ["is ending for a moment", { later: (ms) => (ms < 300 ? { status: "stopped" } : {}) }, undefined, 800],
    ["reports that it is ready", { more: READY, readyMs: 450 }, 450, 500],
    ["was ready at once", { more: READY, readyMs: 0 }, 0, 500],
    ["answers from its start on", { hasProbe: true }, 0, 500],
    ["answers after a while", { hasProbe: true, answer: (ms) => (ms < 300 ? "." : "+") }, 300, 500],
    [
      "answers one time out of five, in a cluster",
      { hasProbe: true, answer: (_ms, requests) => (requests % 5 === 0 ? "+" : "o") },
      0,
      500,
    ],
    ["was found while it answered", { more: { startedAt: 1 }, hasProbe: true }, undefined, 500],
    ["is healthy without a limit", { hasProbe: true, minHealthyMs: 0 }, 0, 200],
  ])("that %s is healthy", async (_what, scene, bootMs, ms) => {
    expect(await wait(scene)).toMatchObject({ end: bootMs, ms });
  });

  test("that answers within its deadline may be online for longer, and not longer than that", async () => {
    const answer = (ms: number): string => (ms < 1000 ? "+" : "?");
    expect(await wait({ hasProbe: true, answer, minHealthyMs: 3000 })).toMatchObject({ end: 0, ms: 3000 });
    const slow = await wait({ hasProbe: true, answer: (ms) => (ms < 1900 ? "o" : "+"), minHealthyMs: 0 });
    expect(slow).toMatchObject({ end: "HEALTH_UNREACHABLE", ms: 2000 });
  });
});

describe("while a reload runs", () => {
  const observe = async (looks: string, more: Partial<ProcessRecord> = {}) => {
    const world = playRollout();
    const requests: string[] = [];
    const check = async () => ANSWERS[(requests.push("?"), looks[requests.length - 1]) ?? "-"];
    Object.assign(world.ports, { health: { check } });
    const observed = new HealthGate(world.ports, { probe, deadlineMs: 1000, minHealthyMs: 0 });
    const now = running(0, { pid: PID, ...more });
    let seen = 0;
    for (; seen < 4; seen += 1) {
      const failed = await observed.observe(now).catch((error: SvcmError) => error.body.code);
      if (failed !== undefined) return { failed, seen, requests: requests.length };
    }
    return { failed: undefined, seen, requests: requests.length };
  };
  test.each<[string, string, string | undefined, number]>([
    ["three bad answers fail it", "---", "HEALTH_STATUS", 3],
    ["two bad ones do not, if a good one follows", "--+-", undefined, 4],
    ["answers of another process do not count", "oooo", undefined, 4],
    ["answers without a name do not count", "????", undefined, 4],
    ["a missing path does not count", "aaaa", undefined, 4],
  ])("%s", async (_what, looks, failed, requests) => {
    expect(await observe(looks)).toMatchObject({ failed, requests });
  });
  test("a process that is not up gets no request, and once one has answered, svcm tries again if another one answers", async () => {
    expect(await observe("----", STOPPED)).toMatchObject({ failed: undefined, requests: 0 });
    expect(await observe("+oooo+oooo")).toMatchObject({ failed: undefined, requests: 1 + 5 + 5 + 1 });
  });
});

describe("the health that an action waits for", () => {
  const sick = async () => ANSWERS["-"];
  const waiter = async (name: string, scope?: "where declared", services: object = {}, settings = "") => {
    const world = playRollout([running(0, { name, httpPort: 3000, pid: PID, ...READY }), running(1)]);
    Object.assign(world.ports, {
      health: { check: sick },
      facts: { ...world.ports.facts, project: async () => ({ services }) },
    });
    writeFileSync(join(world.ports.workspace.root, "deployments.yaml"), settings);
    Object.assign(world.ports.processes, { readyTimes: async () => new Map([[0, 20_000]]) });
    const check = await createHealthWaiter(world.ports, 300, scope);
    return await check([{ name, pmId: 0, pid: PID, namespace: "default", status: "online" }]).then(
      () => "healthy",
      (error: SvcmError) => error.body.code,
    );
  };
  const declared = "rollout:\n  health:\n    web: { path: /ok, port: SVC_HTTP_PORT }\n";
  test.each<[string, string, "where declared" | undefined, object, string, string | undefined]>([
    ["by the name of an app", "restapi", undefined, {}, "", "HEALTH_STATUS"],
    ["only where it is declared", "restapi", "where declared", {}, "", "healthy"],
    ["where it is declared", "web", "where declared", {}, declared, "HEALTH_STATUS"],
    ["where it is declared, by the end of the name", "dev-web", "where declared", {}, declared, "HEALTH_STATUS"],
    ["not where only the letters agree", "cobweb", "where declared", {}, declared, "healthy"],
    ["by the only service", "web", "where declared", service(), "", "HEALTH_STATUS"],
    ["not by one of two services", "web", "where declared", { ...service(), other: {} }, "", "healthy"],
  ])("is looked at %s", async (_what, name, scope, services, settings, end) => {
    expect(await waiter(name, scope, services, settings)).toBe(end);
  });

  function service() {
    return { shop: { rollout: { health: { web: { path: "/ok", port: "SVC_HTTP_PORT" } } } } };
  }
});

test.each<[string, Partial<ProcessRecord>, boolean]>([
  ["a service", {}, true],
  ["a task", TASK, false],
])("svcm looks whether %s has loaded: %s", async (_what, more, isLooked) => {
  const world = playRollout([running(0, more), running(1)]);
  let requests = 0;
  Object.assign(world.ports.machine, { openTrees: async () => void (requests += 1) });
  const circumstances = { start: "renewed", listeners: new Set<string>() } as const;
  await requireLoaded(world.ports, running(0), circumstances);
  await requireLoaded(world.ports, running(9), circumstances);
  expect(requests).toBe(Number(isLooked));
});
