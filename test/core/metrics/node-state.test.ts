/** The state of a machine in one answer, as a list of nodes shows it. */
import { expect, test } from "vitest";
import { nodeShow } from "../../../src/core/metrics/operations/metrics.ts";
import type { MetricsPayload } from "../../../src/core/api/metrics.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { payload } from "./exposed-facts.ts";

type Drift = MetricsPayload["ecosystem"]["drift"];

const caller = { source: "cli", grants: ["read"] } as const;
const entry = (name: string, state: Drift[number]["state"]) =>
  ({ name, pmIds: [0], field: "env", state, key: "A", declared: null, running: null }) as Drift[number];

function stateOf(collect: () => Promise<unknown>) {
  const releases = { list: async () => [], lockedSince: async () => null };
  return nodeShow.run({ telemetry: { collect }, releases } as never, {}, caller);
}

const shown = (more: Partial<MetricsPayload["ecosystem"]>, processes = payload.processes) =>
  stateOf(async () => ({
    kind: "metrics",
    payload: { ...payload, processes, ecosystem: { ...payload.ecosystem, exists: true, ...more } },
  }));

test.each<[string, Drift, object]>([
  ["no difference", [], { missing: 0, undeclared: 0, stale: 0, different: 0 }],
  [
    "one of each",
    [entry("a", "missing"), entry("b", "unexpected"), entry("c", "stale"), entry("d", "different")],
    {
      missing: 1,
      undeclared: 1,
      stale: 1,
      different: 1,
    },
  ],
  ["two of one app", [entry("a", "different"), entry("a", "absent")], { different: 1, stale: 0 }],
  ["a stale one that also differs", [entry("a", "stale"), entry("a", "different")], { stale: 1, different: 0 }],
])("each app counts once: %s", async (_what, drift, expected) => {
  expect((await shown({ drift: [...drift] })).drift).toMatchObject(expected);
});

test.each([{ exists: false }, { planSteps: null }])(
  "without a comparison (%j), no difference is not zero",
  async (more) => {
    expect((await shown(more)).drift).toBeNull();
  },
);

test("at most five troubles are named, with what svcm knows, or else with PM2's word", async () => {
  const [one] = payload.processes;
  const bad = { ...one!, problem: { code: "PROCESS_HUNG", details: "It hangs." } } as const;
  const errored = { ...one!, problem: null, status: "errored" };
  const { troubles, processes } = await shown({}, [errored, ...Array.from({ length: 6 }, () => bad)]);
  expect(troubles).toHaveLength(5);
  expect(troubles.slice(0, 2).map(({ details }) => details)).toEqual(["PM2 calls it errored.", "It hangs."]);
  expect(processes).toMatchObject({ troubled: 6 });
});

test.each([
  ["does not run", async () => ({ kind: "host", payload, error: { code: "PM2_NOT_RUNNING", details: "No daemon." } })],
  ["cannot be asked", () => Promise.reject(new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "Late." }))],
])("a PM2 that %s is an answer, with the reason", async (_what, collect) => {
  const { processes, drift, environment } = await stateOf(collect);
  expect(processes).toMatchObject({ error: expect.stringMatching(/No daemon\.|Late\./), code: expect.any(String) });
  expect([drift, environment]).toEqual([null, null]);
});
