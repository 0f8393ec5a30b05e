/** Samples as their difference from the one before, over a real socket. */
import { describe, expect, test } from "vitest";
import { frameExamples } from "../../../src/core/api/frame-examples.ts";
import type { MetricsPayload, ProcessMetrics } from "../../../src/core/api/metrics.ts";
import type { Sample } from "../../../src/core/index.ts";
import { testServer } from "../support.ts";
import { hostSample, manualTelemetry, withTelemetry } from "./hand-telemetry.ts";
import { open } from "./support.ts";

const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];
const [example] = payload.processes as [ProcessMetrics];

type Made = Partial<ProcessMetrics>;

function sample(processes: readonly Made[], more: Partial<MetricsPayload> = {}): Sample {
  const list = processes.map((made, pmId) => ({ ...example, pmId, ...made }));
  return { kind: "metrics", payload: { ...payload, ...more, processes: list } };
}

async function follow(samples: readonly Sample[], request: object = { changes: true }) {
  const telemetry = manualTelemetry();
  const client = await open(await testServer({ world: withTelemetry(telemetry) }));
  client.send({ type: "subscribe", ...request });
  await telemetry.watchers(1);
  for (const one of samples) telemetry.give(one);
  const count = samples.reduce((sum, { kind }) => sum + (kind === "host" ? 2 : 1), 0);
  await client.next("subscribed");
  const frames = [];
  while (frames.length < count) frames.push(await client.next());
  return frames;
}

test("a client that asks for changes gets the first sample whole, then only what changed", async () => {
  const first = sample([{ cpuPercent: 1 }, { cpuPercent: 5 }]);
  const second = sample([{ cpuPercent: 2 }, { cpuPercent: 5 }], { collectedAt: "2026-01-01T00:00:01.000Z" });
  expect(await follow([first, second, second])).toEqual([
    { type: "metrics", payload: first.payload },
    {
      type: "changes",
      payload: { collectedAt: "2026-01-01T00:00:01.000Z" },
      processes: [{ cpuPercent: 2 }, {}],
    },
    { type: "changes", payload: {}, processes: [{}, {}] },
  ]);
});

test("a client that does not ask for changes gets whole samples", async () => {
  const types = (await follow([sample([{}]), sample([{}])], {})).map(({ type }) => type);
  expect(types).toEqual(["metrics", "metrics"]);
});

const BEFORE: readonly Made[] = [{ name: "a" }, { name: "b" }];

describe("the sample is whole", () => {
  test.each<[string, readonly Made[]]>([
    ["a process left", [{ name: "a" }]],
    ["a process came", [...BEFORE, { name: "c" }]],
    ["the order changed", BEFORE.toReversed()],
    ["a number was reused by another app", [{ name: "a" }, { name: "c" }]],
    ["a member came", [{ name: "a", isOwn: true }, { name: "b" }]],
  ])("if %s", async (_, after) => {
    const next = sample(after);
    expect((await follow([sample(BEFORE), next]))[1]).toEqual({ type: "metrics", payload: next.payload });
  });

  test("if a member left", async () => {
    const next = sample(BEFORE);
    const frames = await follow([sample([{ name: "a", isOwn: true }, { name: "b" }]), next]);
    expect(frames[1]).toEqual({ type: "metrics", payload: next.payload });
  });

  test("after PM2 could not be read", async () => {
    const frames = await follow([sample(BEFORE), hostSample, sample(BEFORE)]);
    expect(frames.map(({ type }) => type)).toEqual(["metrics", "host", "error", "metrics"]);
  });
});

test("a nested value that changed is sent, and one that is equal is not", async () => {
  const io = { ...example.diskIo, readBytes: 1 };
  const frames = await follow([sample([{}]), sample([{ diskIo: { ...example.diskIo } }]), sample([{ diskIo: io }])]);
  expect(frames.slice(1).map(({ processes }) => processes)).toEqual([[{}], [{ diskIo: io }]]);
});
