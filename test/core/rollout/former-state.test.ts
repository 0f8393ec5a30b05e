/** The state before a release decides what a way back has to bring. */
import { expect, test } from "vitest";
import { beginRelease, createReleaseId } from "../../../src/core/rollout/apply/recording.ts";
import { countingPorts, runningRecord } from "../../support/counting-ports.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;

test.each([
  [true, new Set([0])],
  [undefined, new Set<number>()],
])("an app that is up for the moment is recorded as failing: %s, as the plan calls it", async (isFailing, failing) => {
  const { ports, clock } = countingPorts();
  const consumer = runningRecord({ name: "consumer", pmId: 0, restartCount: 9, lastStartAt: clock.now() - 60_000 });
  const { head } = await beginRelease(
    { ...ports, processes: { ...ports.processes, withHomeKey, saveRecords } },
    caller,
    {
      environment: "dev",
      git: null,
      plan: null,
      steps: [{ do: "update", app: "consumer", pmIds: [0] }],
      renamed: {},
      cannotUndo: [],
      left: { apps: {} },
      running: [consumer],
      failing,
      probeOf: () => undefined,
      keepReleases: 10,
    },
  );
  expect(head.before).toMatchObject([{ name: "consumer", isStopped: false }]);
  expect(head.before[0]?.isFailing).toBe(isFailing);

  function saveRecords() {
    return Promise.resolve();
  }
  function withHomeKey() {
    return Promise.resolve({ digest: (text: string) => text, list: () => Promise.resolve([consumer]) });
  }
});

test("a release sorts after the one before, also if the clock was set back", () => {
  const at = "2026-11-22T04:41:03.184Z";
  expect(createReleaseId(at, "9f")).toBe("20261122-044103-0b89");
  expect(createReleaseId(at, "9f", "20261122-044103-0b81")).toBe("20261122-044103-0b89");
  expect(createReleaseId(at, "9f", "20261122-055959-3e7f")).toBe("20261122-060000-0009");
});
