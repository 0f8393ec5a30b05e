import { expect, test } from "vitest";
import { declaredDifferences } from "../../../src/core/boot/facts.ts";

const entry = (name: string, field: string, more: object = {}) => ({ name, field, state: "different", ...more });

test("what is declared is compared with the saved list, app by app", () => {
  const drift = [
    entry("new", "app", { state: "missing" }),
    entry("api", "app", { state: "missing" }),
    entry("api", "env", { key: "MODE" }),
    entry("api", "env", { key: "MODE" }),
    entry("api", "script"),
    // Its value is read when the app starts.
    entry("api", "envFile", { key: "PORT" }),
    entry("new", "script"),
    entry("api", "instances", { declared: "4", running: "2" }),
    entry("old", "instances", { state: "unexpected", declared: "1", running: "2" }),
  ];
  const file = { file: "e.js", apps: ["new", "api"] };
  expect(declaredDifferences({ drift } as never, new Set(["api", "old"]), file)).toEqual({
    file: "e.js",
    problem: null,
    names: ["new", "api"],
    missing: ["new"],
    counts: [{ name: "api", declared: 4, saved: 2 }],
    values: [{ name: "api", keys: ["MODE", "script"] }],
  });
});
