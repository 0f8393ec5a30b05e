/** The record of an act in the audit log, and how PM2 is brought to settle a launch that never ends. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import { createActionSubject, noteOutcome, settleLaunch } from "../../../../src/core/rollout/control/action.ts";
import { running } from "./played-pm2.ts";

test.each([
  [
    { action: "restart", name: "api" },
    { action: "process.restart", target: "api" },
  ],
  [
    { action: "restart", name: "api", pmId: 3 },
    { action: "process.restart", target: "api" },
  ],
  [
    { action: "stop", pmId: 3 },
    { action: "process.stop", target: "id 3" },
  ],
  [
    { action: "stop", name: "api", names: ["web"], pmIds: [4, 5] },
    { action: "process.stop", target: "api, web, id 4, id 5" },
  ],
  [{ action: "stop" }, { action: "process.stop" }],
  [
    { action: "stop", scope: "namespace", namespace: "shop", name: "api" },
    { action: "process.stop", target: "namespace shop" },
  ],
  [
    { action: "stop", scope: "namespace", name: "shop" },
    { action: "process.stop", target: "namespace shop" },
  ],
  [
    { action: "start", scope: "ecosystem" },
    { action: "process.start", target: "ecosystem *" },
  ],
  [
    { action: "start", scope: "ecosystem", names: ["api"] },
    { action: "process.start", target: "ecosystem api" },
  ],
])("the act %j is recorded as %j", (input, subject) => {
  expect(createActionSubject(input as never)).toEqual(subject);
});

test("the record of an act has its processes by number, and its reason if it did nothing", () => {
  const notes: object[] = [];
  const attempt = { note: (more: object) => void notes.push(more) } as never;
  const ports = { workspace: { pm2Home: "/pm2" } } as never;
  const one = (pmId: number, more: object = {}) => ({ name: "api", pmId, pid: 7, ...more }) as never;
  const skipped = [one(1, { reason: "PROCESS_ONLINE" })];
  noteOutcome(attempt, ports, { affected: [one(2), one(0)], skipped });
  const processes = [0, 1, 2].map((pmId) => ({ name: "api", pmId, pm2Home: "/pm2" }));
  expect(notes).toEqual([{ processes }]);
  noteOutcome(attempt, ports, { affected: [], skipped });
  expect(notes.at(-1)).toEqual({ code: "PROCESS_ONLINE" });
  notes.length = 0;
  noteOutcome(attempt, ports, { affected: [], skipped: [] });
  expect(notes).toEqual([{ processes: [] }]);
});

describe("a launch", () => {
  const first = running(0, { status: "launching", restartCount: 1, pid: 10 });
  /** The state of each look; the last one stays. */
  const settle = async (looks: readonly Partial<ProcessRecord>[], deadlineMs: number) => {
    let nowMs = 0;
    let count = 0;
    const calls: string[] = [];
    const ports = {
      clock: { elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
      processes: {
        suspend: async ({ pid }: ProcessRecord, isSuspended: boolean) =>
          void calls.push(`${isSuspended ? "suspend" : "resume"} ${pid}`),
      },
    };
    const { now } = await settleLaunch(ports as never, {
      first,
      readCurrent: async () => ({ ...first, ...looks[Math.min(count++, looks.length - 1)] }),
      deadlineMs,
      isSettled: (_before, { status }) => status !== "launching",
    });
    return { calls, status: now.status, waitedMs: nowMs };
  };

  test("that settles is left alone", async () => {
    expect(await settle([{ status: "online" }], 5000)).toEqual({ calls: [], status: "online", waitedMs: 0 });
    const late = await settle([{}, {}, { status: "online" }], 5000);
    expect([late.calls, late.status, late.waitedMs > 0]).toEqual([[], "online", true]);
  });

  test("that PM2 repeats is suspended, and goes on at the deadline", async () => {
    const { calls, status, waitedMs } = await settle([{}, { restartCount: 2, pid: 11 }], 1000);
    expect([calls.at(0), calls.at(-1), status]).toEqual(["suspend 11", "resume 11", "launching"]);
    expect(waitedMs).toBeGreaterThanOrEqual(1000);
  });

  test("that PM2 does not repeat is not suspended until the deadline", async () => {
    expect(await settle([{}], 1000)).toMatchObject({ calls: [], status: "launching" });
  });

  test("of a worker of a cluster is suspended only when it has the same pid at two looks", async () => {
    const worker = (pid: number) => ({ restartCount: 2, pid, execMode: "cluster" }) as const;
    expect((await settle([worker(11), worker(12), worker(13), { status: "online" }], 5000)).calls).toEqual([]);
    expect((await settle([worker(11), worker(11), { status: "online" }], 5000)).calls[0]).toBe("suspend 11");
  });
});
