/** The line of an error log that may be the reason of an end. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { readReason } from "../../../src/core/events/evidence.ts";
import { api, at, makePorts, type World } from "./why-world.ts";

describe("the error log of an end", () => {
  const event = { kind: "exit", at: at(1000), app: "api" } as never;
  const END = Date.parse(at(1000));
  const read = async (errors: readonly object[], more: World & { event?: unknown } = {}) => {
    const { reason, lines } = await readReason(makePorts({ ...more, errors }) as never, {
      process: api(),
      event: (more.event ?? event) as never,
      isAllowed: true,
    });
    return [reason, ...lines];
  };
  test.each<[string, readonly object[], World & { event?: unknown }, readonly (string | null)[]]>([
    [
      "its last error is the reason",
      [{ text: "Error: old" }, { text: "  at a" }, { text: "Error: new" }],
      { writtenMs: END },
      ["Error: new", "Error: old", "at a"],
    ],
    [
      "that was written long before says nothing",
      [{ text: "Error: old" }],
      { writtenMs: END - 5001 },
      [null, "Error: old"],
    ],
    ["that was written shortly before has it", [{ text: "Error: x" }], { writtenMs: END - 5000 }, ["Error: x"]],
    [
      "of a stop is no reason",
      [{ text: "Error: x" }],
      { writtenMs: END, event: { kind: "stop", at: at(1000) } },
      [null, "Error: x"],
    ],
    [
      "has only lines of its own instance",
      [
        { pmId: 1, text: "Error: other" },
        { pmId: null, text: "Error: shared" },
      ],
      { writtenMs: END },
      ["Error: shared"],
    ],
    [
      "of a later run is not of this one",
      [
        { text: "Error: this", at: at(1000) },
        { text: "Error: later", at: at(1006) },
      ],
      { writtenMs: END + 9000 },
      ["Error: this", "Error: later"],
    ],
    [
      "without times ends with Node.js's last line",
      [{ text: "Error: this" }, { text: "Node.js v20.1.0" }, { text: "Error: later" }],
      { writtenMs: END + 9000 },
      ["Error: this", "Error: later"],
    ],
  ])("%s", async (_what, errors, more, expected) => {
    const [reason, ...lines] = await read(errors, more);
    expect(reason).toBe(expected[0]);
    for (const line of expected.slice(1)) expect(lines).toContain(line);
  });
  test("has at most three other lines, each cut", async () => {
    const [, ...lines] = await read(
      [
        { text: "Error: x" },
        ...Array.from({ length: 5 }, (_, index) => ({ text: `    at ${index} ${"y".repeat(250)}` })),
      ],
      { writtenMs: END },
    );
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => (line ?? "").length < 202 && line?.endsWith("y…"))).toBe(true);
  });
  test("that cannot be read is named", async () => {
    const ports = {
      ...makePorts({}),
      logs: { read: () => Promise.reject(new SvcmError("LOGS_FAILED", { details: "It is a folder." })) },
    };
    expect((await readReason(ports as never, { process: api(), event, isAllowed: true })).problems).toEqual([
      "It is a folder.",
    ]);
    expect((await readReason(ports as never, { process: undefined, event, isAllowed: true })).problems).toEqual([]);
  });
});
