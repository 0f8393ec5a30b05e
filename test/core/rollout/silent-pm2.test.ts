/** PM2 that does not answer for a while, as on a busy machine, fails nothing that runs well. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { waitUntilHealthy } from "../../../src/core/rollout/apply/gate.ts";
import { revertApps } from "../../../src/core/rollout/apply/revert-apps.ts";
import { verify } from "../../../src/core/rollout/control/verify.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

const SILENCE_MS = 5000;
const online = record({ status: "online", pid: 7, startedAt: 1, lastStartAt: 1 });

/** Each list of PM2 is a failure after its time-out until it has been silent for that long. */
function silentPm2(silentMs: number, code: "PM2_TIMEOUT" | "PM2_NOT_RUNNING" = "PM2_TIMEOUT") {
  let nowMs = 0;
  return {
    clock: {
      now: () => nowMs,
      elapsed: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    },
    processes: {
      list: async (): Promise<readonly ProcessRecord[]> => {
        if (nowMs >= silentMs) return [online];
        nowMs += SILENCE_MS;
        throw new SvcmError("PM2_FAILED", { code, details: "PM2 did not answer." });
      },
    },
    health: { check: async () => ({ state: "healthy", pid: 7 }) },
  } as never;
}

const gate = { probe: undefined, deadlineMs: 30_000, minHealthyMs: 2000 };
const restarted = (ports: never) =>
  verify(ports, { action: "restart", name: "api", timeoutMs: 20_000 }, (processes) => ({ processes, verdict: "done" }));

test("the gate and the check of an action wait while PM2 is silent", async () => {
  await expect(waitUntilHealthy(silentPm2(12_000), online, gate)).resolves.toBeUndefined();
  await expect(restarted(silentPm2(12_000))).resolves.toEqual([online]);
});

test("silence until the deadline is a failure, and a daemon that is gone is one at once", async () => {
  for (const wait of [(ports: never) => waitUntilHealthy(ports, online, gate), restarted]) {
    await expect(wait(silentPm2(60_000))).rejects.toMatchObject({ body: { code: "PM2_TIMEOUT" } });
    await expect(wait(silentPm2(1, "PM2_NOT_RUNNING"))).rejects.toMatchObject({ body: { code: "PM2_NOT_RUNNING" } });
  }
});

test("a revert waits while PM2 is silent, and touches nothing that runs as before", async () => {
  const before = { name: online.name, pmId: online.pmId, uniqueId: online.uniqueId, pid: 7, isStopped: false };
  const revertDuring = (silentMs: number) => {
    const { processes, ...more } = silentPm2(silentMs) as {
      processes: { list: () => Promise<readonly ProcessRecord[]> };
    };
    const ports = {
      ...more,
      processes: { ...processes, withHomeKey: async () => ({ ...processes, digest: () => "same" }) },
      releases: { changedEnvFiles: async () => new Map(), recordsFile: () => "records" },
      machine: { openTrees: async () => undefined },
    };
    const head = { before: [{ ...before, definition: "same" }], left: { apps: {} } };
    const context = { head, requirementOf: () => gate, add: async () => undefined };
    return revertApps(ports as never, context as never, [online.name]);
  };
  await expect(revertDuring(12_000)).resolves.toMatchObject({ reasons: [] });
  await expect(revertDuring(60_000)).resolves.toMatchObject({ reasons: [expect.stringContaining("did not answer")] });
});
