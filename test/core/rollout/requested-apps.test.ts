/** Apps that a command names, with the declaration of the file. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { readEffect, readRequestedApps } from "../../../src/core/rollout/control/requested-apps.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { expectedOf, type Fields } from "./loaded.ts";

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
