import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { bindLazily } from "../../scripts/build/lazy-chunks.ts";

const REQUIRE = /^(?:let|const) (\w+[$\w]*) = (require\("[^"]+"\));$/gm;

/** Runs a module and returns its requires, in order, and its exports. */
function run(code: string) {
  const required: string[] = [];
  const modules: Record<string, unknown> = {
    a: { name: "a", Thing: Date, parts: [1, 2] },
    b: { name: "b" },
  };
  const exports: Record<string, unknown> = {};
  const require = (id: string): unknown => {
    required.push(id);
    return modules[id];
  };
  runInContext(bindLazily(code, REQUIRE, "$later"), createContext({ require, exports }));
  return { required, exports };
}

test("a module is required when it is first used, and once", () => {
  const { required, exports } = run(`"use strict";
const a = require("a");
const b = require("b");
exports.before = true;
exports.use = () => a.name + a.name;`);
  expect(required).toEqual([]);
  expect((exports["use"] as () => string)()).toBe("aa");
  expect(required).toEqual(["a"]);
});

test("a lazily bound module may be constructed, spread, called and passed on", () => {
  const { exports } = run(`"use strict";
const a = require("a");
const b$1 = require("b");
exports.made = new a.Thing() instanceof a.Thing;
exports.spread = [...a.parts];
exports.whole = b$1;
exports.b$1 = 1;
exports.property = exports.b$1;`);
  expect(exports).toMatchObject({ made: true, spread: [1, 2], whole: { name: "b" }, property: 1 });
});

test("a binding that is assigned again is not bound lazily", () => {
  const code = `"use strict";\nlet a = require("a");\na = { name: a.name };\nexports.name = a.name;`;
  expect(run(code)).toMatchObject({ required: ["a"], exports: { name: "a" } });
});

test("code with lazy bindings stays strict and keeps its line numbers", () => {
  const code = `"use strict";\nconst a = require("a");\nexports.strict = (function () { return this === undefined; })();`;
  const lazy = bindLazily(code, REQUIRE, "$later");
  expect(lazy.split("\n")).toHaveLength(code.split("\n").length);
  expect(run(code).exports).toEqual({ strict: true });
});
