/** Apps that a command names, with the declaration of the file. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { readEffect, readRequestedApps } from "../../../src/core/rollout/control/requested-apps.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { expectedOf, type Fields } from "./loaded.ts";
import { playRollout } from "./played-rollout.ts";

test.each([
  ["a stop", { action: "stop", name: "api" }],
  ["a deletion", { action: "delete", name: "api" }],
  ["a number", { action: "restart", pmId: 0 }],
  ["numbers", { action: "restart", pmIds: [0] }],
  ["a namespace", { action: "restart", namespace: "web" }],
])("%s does not mean the declaration", async (_what, input) => {
  const refused = await readRequestedApps({} as never, input as never, {} as never).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    kind: "INVALID_REQUEST",
    body: { details: expect.stringContaining("by their names") },
  });
});

const entry = (state: string, key: string | null, field = "env") => ({ name: "api", pmIds: [0], field, state, key });

async function effectOf(before: readonly object[], now: Fields | Error) {
  const requested = {
    declarations: [{ name: "api", apps: [], unset: [] }],
    withheld: [],
    expected: expectedOf([{ env: { A: "1" } }]),
    visibleKeys: new Set(),
    appliedApps: {},
  };
  const list = async () => (now instanceof Error ? Promise.reject(now) : simulateApply(expectedOf([now])));
  const ports = { stamps: { missing: () => new Set() }, processes: { list } };
  const { applied, warnings } = await readEffect(ports as never, requested as never, "restart", before as never);
  return { applied: applied?.map(({ field, key }) => key ?? field), codes: warnings.map(({ code }) => code) };
}

test.each<[string, readonly object[], Fields | Error, object]>([
  [
    "a difference that is gone was applied",
    [entry("different", "A")],
    { env: { A: "1" } },
    { applied: ["A"], codes: [] },
  ],
  [
    "an app that did not run was started, which is no field",
    [entry("missing", null, "app")],
    { env: { A: "1" } },
    { applied: [], codes: [] },
  ],
  [
    "a difference that stays is named",
    [entry("different", "A")],
    { env: { A: "2" } },
    { applied: [], codes: ["PROCESS_FIELD_NOT_APPLIED"] },
  ],
  [
    "another number of instances",
    [],
    { env: { A: "1" }, instances: 2, exec_mode: "fork" },
    { applied: [], codes: ["PROCESS_FIELD_NOT_APPLIED"] },
  ],
  [
    "a PM2 that cannot be asked afterwards",
    [entry("different", "A")],
    new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT" }),
    { applied: undefined, codes: ["PROCESS_DRIFT_UNKNOWN"] },
  ],
])("after a restart by the file: %s", async (_what, before, now, expected) => {
  expect(await effectOf(before, now)).toEqual(expected);
});

const entryOf = (state: string, field: string, more: object = {}) => ({
  name: "api",
  pmIds: [0],
  field,
  state,
  key: null,
  ...more,
});

/** The warnings after a command about an app that runs in some way. */
async function warningsOf(now: Fields, { action = "restart", ...more }: { readonly action?: string } & Fields = {}) {
  const requested = {
    declarations: [{ name: "api", apps: [more], unset: more["unset"] ?? [] }],
    withheld: [],
    expected: expectedOf([{ env: { A: "1" }, ...more }]),
    visibleKeys: new Set(["B"]),
    appliedApps: { api: { environment: "dev", service: "", keys: ["A", "B"], envFiles: [] } },
  };
  const ports = {
    stamps: { missing: () => new Set() },
    processes: { list: async () => simulateApply(expectedOf([now])) },
  };
  const found = await readEffect(
    ports as never,
    requested as never,
    action as never,
    [entryOf("different", "args")] as never,
  );
  return { ...found, messages: found.warnings.map(({ message }) => message) };
}

test("what a command did not apply is named with the command that does", async () => {
  const other = await warningsOf({ env: { A: "2" }, args: "x" });
  expect(other.messages).toEqual([
    "api still runs with another args, env A. PM2 applies that to a new process: svcm delete api, then svcm start api --ecosystem",
  ]);
  expect((await warningsOf({ env: { A: "2" } }, { action: "start" })).messages).toEqual([
    "api still runs with another env A. To apply the file: svcm restart api --ecosystem",
  ]);
  expect((await warningsOf({ env: { A: "1" }, instances: 2, exec_mode: "fork" })).messages).toEqual([
    "api runs with 2 instances, and the file declares 1. To change that: svcm scale api 1",
  ]);
  expect((await warningsOf({ env: { A: "1", B: "2" } })).messages).toEqual([
    expect.stringMatching(
      /^B stayed in the process: the file no longer declares it\. PM2 applies that to a new process/,
    ),
  ]);
});

test("a start says nothing of what it applied, and another act what is as declared now", async () => {
  expect(await warningsOf({ env: { A: "1" } }, { action: "start" })).not.toHaveProperty("applied");
  expect((await warningsOf({ env: { A: "1" } })).applied).toEqual([{ name: "api", field: "args", key: null }]);
  expect((await warningsOf({ env: { A: "1" }, args: "x" })).applied).toEqual([]);
});

test.each([
  [
    ["A"],
    "A has no value in the environment in which svcm reads the file: api was not given it, and keeps the value that it had before, if any.",
  ],
  [
    ["A", "B"],
    "A, B have no value in the environment in which svcm reads the file: api was not given them, and keeps the value that it had before, if any.",
  ],
])("variables without a value are named: %j", async (unset, message) => {
  const { warnings } = await warningsOf({ env: { A: "1" } }, { unset });
  expect(warnings).toMatchObject([
    { code: "PROCESS_VARIABLE_UNSET", severity: "warning", path: ["apps", "api"], message },
  ]);
});

describe("apps that a command names", () => {
  const read = async (input: object, apps: readonly Fields[] = [{}, { name: "web" }]) => {
    const world = playRollout();
    world.declare(apps);
    const noted: object[] = [];
    const attempt = { note: (more: object) => void noted.push(more) };
    const found = await readRequestedApps(
      world.ports,
      { action: "restart", environment: "dev", ...input } as never,
      attempt as never,
    );
    return { found, noted };
  };

  test("are those, or all", async () => {
    const { found, noted } = await read({ names: ["web", "web"] });
    expect(found).toMatchObject({ environment: "dev", isAll: false, declarations: [{ name: "web" }] });
    expect(found.expected.map(({ name }) => name)).toEqual(["web"]);
    expect(noted).toEqual([{ environment: "dev" }]);
    const all = (await read({})).found;
    expect([all.isAll, all.declarations.map(({ name }) => name)]).toEqual([true, ["api", "web"]]);
    expect((await read({ name: "api" })).found.isAll).toBe(false);
  });

  test("are known to the file", async () => {
    await expect(read({ name: "wbe" })).rejects.toMatchObject({
      kind: "PROCESS_NOT_FOUND",
      body: { details: expect.stringMatching(/wbe.*web/s) },
    });
  });
});
