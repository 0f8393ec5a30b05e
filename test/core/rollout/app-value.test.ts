import { expect, test } from "vitest";
import type { Plan } from "../../../src/core/api/rollout.ts";
import { decideAppValues, runningFrom, type ValueFacts } from "../../../src/core/rollout/operations/env-app.ts";

const FACTS: ValueFacts = {
  keys: ["LEVEL"],
  ecosystem: { fileName: "ecosystem.config.js", env: {} },
  layers: [],
  commands: [{ values: new Map(), texts: [], fileName: "package.json" }],
  defaultOf: () => "",
  runningOf: () => "same",
};
const layer = (fileName: string, value: string) => ({ fileName, values: new Map([["LEVEL", value]]) });
const sourceOf = (facts: Partial<ValueFacts>) => {
  const [one] = decideAppValues({ ...FACTS, ...facts });
  return [one?.value, one?.source, one?.file, one?.overridden];
};

test("the ecosystem file wins over env files, a later layer over an earlier one, and a file over the default", () => {
  const layers = [layer(".env", "a"), layer(".env.local", "b")];
  const ecosystem = { fileName: "ecosystem.config.js", env: { LEVEL: "c" } };
  const defaultOf = () => "d";
  expect(sourceOf({ layers, ecosystem, defaultOf })).toEqual([
    "c",
    "ecosystem",
    "ecosystem.config.js",
    [".env", ".env.local"],
  ]);
  expect(sourceOf({ layers, defaultOf })).toEqual(["b", "env file", ".env.local", [".env"]]);
  expect(sourceOf({ defaultOf })).toEqual(["d", "default", null, []]);
  expect(sourceOf({})).toEqual(["", "nowhere", null, []]);
});

test("an empty value of a file is a value, because an app gets it", () => {
  expect(sourceOf({ layers: [layer(".env", "")], defaultOf: () => "d" })).toEqual(["", "env file", ".env", []]);
});

test("a command wins over PM2, and what it did at the start is in no record", () => {
  const ecosystem = { fileName: "ecosystem.config.js", env: { LEVEL: "c" } };
  const command = { values: new Map([["LEVEL", "e"]]), texts: [], fileName: "package.json" };
  expect(sourceOf({ ecosystem, commands: [command] })).toEqual([
    "e",
    "command",
    "package.json",
    ["ecosystem.config.js"],
  ]);
  const [set] = decideAppValues({ ...FACTS, commands: [command] });
  const texts = ['[ -n "$X" ] && export LEVEL=f'];
  const [maybe] = decideAppValues({ ...FACTS, commands: [{ ...command, values: new Map(), texts }] });
  expect([set?.running, maybe?.running]).toEqual(["unknown", "unknown"]);
});

const planOf = (plan: object) => ({ steps: [], held: [], unknown: [], ...plan }) as unknown as Plan;
const stepFor = (field: string, state: string, key: string | null) =>
  planOf({ steps: [{ app: "api", why: [{ field, state, key }] }] });

test.each([
  ["the plan has no step for it", planOf({}), "same"],
  ["its variable differs", stepFor("env", "different", "LEVEL"), "former"],
  ["its line of the env file changed", stepFor("values", "different", "LEVEL"), "former"],
  ["only the time of the env file says that it changed", stepFor("envFile", "stale", null), "unknown"],
  ["another variable differs", stepFor("env", "different", "OTHER"), "same"],
  ["PM2 does not know the app", stepFor("app", "missing", null), "not running"],
  ["the app is stopped", stepFor("app", "stopped", null), "not running"],
  ["somebody stopped the app", planOf({ held: [{ name: "api", state: "stopped" }] }), "not running"],
  ["one of its processes is stopped", stepFor("app", "stopped", null), "partly", 1],
  ["one of its processes does not stay up", stepFor("app", "failing", null), "partly", 1],
  [
    "its variable differs, and one of its processes is missing",
    planOf({
      steps: [
        {
          app: "api",
          why: [
            { field: "app", state: "missing" },
            { field: "env", state: "different", key: "LEVEL" },
          ],
        },
      ],
    }),
    "former",
    1,
  ],
  ["the plan cannot tell", planOf({ unknown: [{ app: "api", part: "values" }] }), "unknown"],
  ["there is no plan", undefined, "unknown"],
] as const)("what runs, if %s", (_, plan, running, alive?: number) => {
  expect(runningFrom(plan, "api", alive ?? 0)("LEVEL", "env file")).toBe(running);
});

test("the default in an app's code is unknown", () => {
  expect(runningFrom(planOf({}), "api", 1)("LEVEL", "default")).toBe("unknown");
});
