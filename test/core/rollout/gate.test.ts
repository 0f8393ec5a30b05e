/** Answers of a process, look by look, and the moment at which the gate of a rollout opens or fails. */
import { describe, expect, test } from "vitest";
import { waitUntilHealthy } from "../../../src/core/rollout/apply/gate.ts";
import type { HealthResult } from "../../../src/core/rollout/port-deployed.ts";
import { record } from "../../support/process-record.ts";

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
