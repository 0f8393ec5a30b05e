/** Faults of a script that show without running it, so that `why` names an error that PM2 hides. */
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLoadFault, namedModules } from "../../../src/core/events/sightings.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("modules are named by require, import and export; comments and what a try may miss do not count", () => {
  const code = `
import http from "node:http";
import "./side.js";
import { a,
  b } from 'two-lines';
export * from "./all.js";
const x = require( "one" ), y = require('two');
// require("commented")
/* import z from "commented"; */
try { require("optional") } catch {}
const text = 'it says from "nothing"';
`;
  expect(namedModules(code).toSorted()).toEqual(["./all.js", "./side.js", "node:http", "one", "two", "two-lines"]);
});

const files: readonly (readonly [string, Readonly<Record<string, string>>, RegExp | undefined])[] = [
  ["a package", { "main.js": 'require("not-installed")' }, /\/main\.js needs "not-installed", which does not exist$/],
  ["an import", { "main.mjs": 'import x from "not-there";' }, /\/main\.mjs needs "not-there", which does not exist$/],
  [
    "a file that another one needs",
    { "main.js": 'require("./lib/a")', "lib/a.js": 'require("./gone.js")' },
    /\/lib\/a\.js needs "\.\/gone\.js", which does not exist$/,
  ],
  ["a syntax error", { "main.js": "ok();\nrequire(.)" }, /\/main\.js:2: SyntaxError: Unexpected token '\.'$/],
  ["a circle", { "main.js": 'require("./b.js")', "b.js": 'require("./main.js")' }, undefined],
  ["an error at run time", { "main.js": 'throw new Error("no DB_URL")' }, undefined],
  ["another language", { "main.ts": 'import x from "not-there";' }, undefined],
];

test.each(files)("%s", async (_, texts, expected) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "lib"));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  const [main = ""] = Object.keys(texts);
  const fault = await findLoadFault(join(folder, main));
  if (expected === undefined) expect(fault).toBeUndefined();
  else expect(fault).toMatch(expected);
});
