/** Facts of a machine from which its rules decide. */
import { describe, expect, test } from "vitest";
import { declaredDifferences, isInUse, isLost, unitOfDaemon, unitsOfHome } from "../../../src/core/boot/facts.ts";
import { boot, daemon, online, saved, unit } from "./facts.ts";

test.each<[string, Parameters<typeof boot>[0], boolean]>([
  ["something runs", { saved: saved([]), running: [online()] }, true],
  ["an app is saved", { running: null }, true],
  ["the list is broken", { saved: saved([], { state: "broken" }), running: null }, true],
  ["the list cannot be read", { saved: saved([], { state: "unreadable" }), running: [] }, true],
  ["the list is gone", { saved: saved([], { state: "absent", copy: { count: 2 } as never }), running: null }, true],
  [
    "the list that is gone was empty",
    { saved: saved([], { state: "absent", copy: { count: 0 } as never }), running: null },
    false,
  ],
  ["there is no list, and nothing runs", { saved: saved([], { state: "absent" }), running: [] }, false],
  ["the list is empty, and nothing runs", { saved: saved([]), running: null }, false],
])("a PM2 is in use or not, if %s", (_what, fields, is) => {
  expect(isInUse(boot(fields))).toBe(is);
});

test("a list that is there is not lost, whatever svcm has of it", () => {
  expect(isLost(saved([], { copy: { count: 2 } as never }))).toBe(false);
});

test("the unit of a daemon is one of its home in whose group it runs", () => {
  const [other, foreign] = [unit({ name: "other.service" }), unit({ isOfHome: false })];
  expect(unitOfDaemon([other, unit()], daemon())).toEqual(unit());
  expect(unitOfDaemon([other, foreign], daemon())).toBeUndefined();
  expect(unitOfDaemon([unit()], daemon({ group: "/user.slice/session-1.scope" }))).toBeUndefined();
  expect([unitOfDaemon([unit()], null), unitOfDaemon([unit()], undefined)]).toEqual([undefined, undefined]);
  const system = { ...boot().system, units: [foreign, unit()] };
  expect(unitsOfHome(boot({ system }))).toEqual([unit()]);
});

describe("what the saved list lacks of the file", () => {
  const entry = (name: string, field: string, more: object = {}) => ({
    name,
    field,
    key: null,
    state: "different",
    pmIds: [],
    ...more,
  });
  const file = { file: "e.cjs", apps: ["new", "api"] };
  const of = (...drift: object[]) => declaredDifferences({ drift } as never, new Set(["api"]), file);

  test("is each app that it does not have, each number, and each field once", () => {
    expect(
      of(
        entry("new", "app", { state: "missing" }),
        entry("api", "app", { state: "missing" }),
        entry("old", "app", { state: "unexpected" }),
        entry("api", "instances", { declared: "4", running: "2" }),
        entry("old", "instances", { state: "unexpected", declared: "1", running: "2" }),
        entry("api", "env", { key: "A" }),
        entry("api", "env", { key: "A" }),
        entry("api", "script"),
        entry("new", "script"),
      ),
    ).toEqual({
      file: "e.cjs",
      problem: null,
      names: ["new", "api"],
      missing: ["new"],
      counts: [{ name: "api", declared: 4, saved: 2 }],
      values: [{ name: "api", keys: ["A", "script"] }],
    });
  });

  test("is nothing that a start reads again", () => {
    const again = ["envFile", "code", "values", "state"].map((field) => entry("api", field));
    expect(of(...again)).toMatchObject({ missing: [], counts: [], values: [] });
  });
});
