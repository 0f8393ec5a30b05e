/** A line of the recorded history: what a sample leaves, and which lines svcm does not read. */
import { expect, test } from "vitest";
import { formatStep, parseStep, toStep } from "../../../src/core/history/step.ts";
import { hostSample, sample } from "../../server/socket/hand-telemetry.ts";

const at = "2026-11-27T08:05:01.000Z";
const line = (more: object): string =>
  JSON.stringify({ at, host: [1, null, [2, 3]], processes: { "api/0": [1, 2, 3, 4, 5] }, ...more });

test("a step that is written is the same when it is read", () => {
  const step = parseStep(line({}));
  expect(step).toEqual({ atMs: Date.parse(at), host: [1, null, [2, 3]], processes: { "api/0": [1, 2, 3, 4, 5] } });
  expect(parseStep(formatStep(step!))).toEqual(step);
});

test.each<[string, string]>([
  ["torn", line({}).slice(0, -3)],
  ["of text", "text"],
  ["a list", "[]"],
  ["without a time", line({ at: undefined })],
  ["with another time", line({ at: "yesterday" })],
  ["without the machine", line({ host: undefined })],
  ["with text as the machine", line({ host: "1" })],
  ["with a text among its numbers", line({ host: [1, "2"] })],
  ["with a mean without a maximum", line({ host: [[1]] })],
  ["with three values of a minute", line({ host: [[1, 2, 3]] })],
  ["with text in a minute", line({ host: [[1, "2"]] })],
  ["with nothing in a minute", line({ host: [[null, null]] })],
  ["without processes", line({ processes: undefined })],
  ["with a list of processes", line({ processes: [[1]] })],
  ["with a process of text", line({ processes: { "api/0": [1], "jobs/1": "2" } })],
  ["with two numbers as a value", line({ host: [{ length: 2 }] })],
])("a line %s is not read", (_what, text) => expect(parseStep(text)).toBeUndefined());

test("a machine and apps without values have empty ones", () => {
  expect(parseStep(line({ host: [], processes: {} }))).toEqual({ atMs: Date.parse(at), host: [], processes: {} });
  expect(parseStep(line({ processes: { "api/0": [] } }))?.processes).toEqual({ "api/0": [] });
});

test("a sample leaves its figures, and none of its apps while PM2 is away", () => {
  const { payload } = sample(0);
  const [process] = payload.processes;
  const disk = [{ path: "/", usedPercent: 40 }] as never;
  const step = toStep({ kind: "metrics", payload: { ...payload, collectedAt: at, host: { ...payload.host, disk } } });
  const { cpuPercent, memoryBytes, diskIo, restartCount, name, pmId } = process!;
  const own = [cpuPercent, memoryBytes, diskIo.readBytesPerSecond, diskIo.writeBytesPerSecond, restartCount];
  expect(step).toEqual({
    atMs: Date.parse(at),
    host: [payload.host.cpu.usagePercent, payload.host.memory.usedPercent, 40],
    processes: { [`${name}/${pmId}`]: own },
  });
  expect(toStep(hostSample).processes).toEqual({});
  for (const one of [[], [{ path: "/", code: "EIO", details: "x" }]])
    expect(
      toStep({ kind: "metrics", payload: { ...payload, host: { ...payload.host, disk: one as never } } }).host[2],
    ).toBeNull();
});
