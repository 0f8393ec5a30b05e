import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { ecosystemLoader } from "../../../../src/core/pm2/loader/index.ts";
import { parserWords, runWords, writtenModule, describeError } from "../../../../src/core/pm2/loader/describe-error.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const CANARY = "canary9wordsK4x";

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

/** Each with the canary in every place of the source that Node.js may quote. */
const BROKEN = [
  [`const a = { b: "${CANARY}" c };`, "Unexpected identifier"],
  [`const a = { b: ${CANARY};`, "Unexpected token ';'"],
  [`const a = [${CANARY}`, "Unexpected end of input"],
  [`const a = "${CANARY}`, "Invalid or unexpected token"],
  [`f(${CANARY}`, "missing ) after argument list"],
  [`f(1 "${CANARY}")`, "missing ) after argument list"],
  [`let ${CANARY}; let ${CANARY};`, "A name is declared twice"],
  [`a = /${CANARY}(/;`, "Invalid regular expression"],
  [`const ${CANARY};`, "Missing initializer in a declaration"],
  [`return ${CANARY};`, "Illegal return statement"],
  [`a "${CANARY}"`, "Unexpected string"],
  [`1 = ${CANARY};`, "Invalid left-hand side of an assignment"],
] as const;

test.each(BROKEN)("the parser's message about %s has fixed words", (source, words) => {
  const { message } = thrownBy(() => new Script(source));
  expect(parserWords(message)).toBe(words);
});

test.each([
  [`JSON.parse('{ a: ${CANARY} }')`, "SyntaxError", "a text is not valid JSON"],
  [`JSON.parse('')`, "SyntaxError", "a text is not valid JSON"],
  [`{ ${CANARY} }`, "ReferenceError", "a name is not defined"],
  [`{ ${CANARY}; let ${CANARY}; }`, "ReferenceError", "a name is used before its declaration"],
  [`{ undefined['${CANARY}'] }`, "TypeError", "a property of undefined is used"],
  [`{ null.${CANARY} = 1 }`, "TypeError", "a property of null is used"],
  [`{ ({}).${CANARY}() }`, "TypeError", "what is called is not a function"],
  [`{ new ({}).${CANARY}() }`, "TypeError", "what follows new is not a constructor"],
  [`{ const { ${CANARY} } = null }`, "TypeError", "undefined or null is destructured"],
  [`{ [...{ a: '${CANARY}' }.b] }`, "TypeError", undefined],
  [`{ const ${CANARY} = 1; ${CANARY} = 2; }`, "TypeError", "a constant is assigned again"],
])("the message of %s has fixed words", (source, className, words) => {
  const { message } = thrownBy(() => new Script(source).runInThisContext());
  const reported = runWords(className, message);
  if (words === undefined) expect(reported ?? "").not.toContain(CANARY);
  else expect(reported).toBe(words);
});

test("a sentence of the author does not count as one of Node.js", () => {
  expect(runWords("Error", "DATABASE_URL is not defined")).toBeUndefined();
  expect(runWords("Error", "the stage is not a function")).toBeUndefined();
});

const SOURCE = `
  const a = require("dotenv").config(), b = require('./config/base'), name = "hunter2";
  import c from "./parts/c.mjs"; import "side-effect"; import("@scope/pkg/deep.js");
  throw new Error("Cannot find module 'forged'");`;

test.each([
  ["dotenv", "dotenv"],
  ["./config/base", "./config/base"],
  ["/srv/app/parts/c.mjs", "./parts/c.mjs"],
  ["side-effect", "side-effect"],
  ["@scope/pkg", "@scope/pkg/deep.js"],
  ["/srv/app/node_modules/side-effect", "side-effect"],
  ["/srv/app/node_modules/@scope/pkg/deep.js", "@scope/pkg/deep.js"],
  ["/srv/app/node_modules/hunter2", undefined],
  ["hunter2", undefined],
  ["forged", undefined],
  ["base", undefined],
  ["/srv/app/hunter2", undefined],
])("the missing module %s is named as %s", (missing, name) => {
  expect(writtenModule(missing, SOURCE)).toBe(name);
});

test("no member of an error is passed on", () => {
  const members = { code: CANARY, name: CANARY, path: CANARY, syscall: CANARY, status: CANARY, pid: CANARY };
  const thrown = [
    new Error(CANARY),
    Object.assign(new TypeError(`${CANARY} is not a function`), members),
    Object.assign(new SyntaxError(CANARY), members, { stack: `${CANARY}:1\n${CANARY}\n^` }),
    Object.assign(new Error(`Cannot find module '${CANARY}'`), { code: "MODULE_NOT_FOUND" }),
    Object.assign(new Error(`ENOENT: no such file, open '${CANARY}'`), { code: "ENOENT", path: CANARY }),
    Object.assign(new Error(CANARY), { code: `E${CANARY.toUpperCase()}`, path: "/x.config.cjs" }),
    new AggregateError([new Error(CANARY)], CANARY, { cause: CANARY }),
    CANARY,
    { message: CANARY },
    Symbol(CANARY),
    [CANARY],
  ];
  const reported = thrown.map((error) => JSON.stringify(describeError(error, "/x.config.cjs")));
  expect(reported.join("\n").toLowerCase()).not.toContain(CANARY.toLowerCase());
});

test.each([
  [
    `const key = require("fs").readFileSync("${CANARY}");`,
    "x.config.cjs:1:27: the file threw Error: ENOENT, no such file or directory.",
  ],
  [
    `require("child_process").execSync("exit 3 #${CANARY}");`,
    "x.config.cjs:1:26: the file threw Error: a command ended with exit code 3.",
  ],
  [
    `\n  require("dotenv").config("${CANARY}");`,
    'x.config.cjs:2:3: the file needs the module "dotenv", which is not installed.',
  ],
  [
    `require("./" + "${CANARY}");`,
    "x.config.cjs:1:1: the file computes the name of a module, and that module is not installed.",
  ],
])("%s", async (text, words) => {
  const root = temporaryFolder();
  const file = join(root, "x.config.cjs");
  writeFileSync(file, text);
  const loader = ecosystemLoader({ root, env: { PATH: process.env["PATH"] } });
  const { message } = (await loader.load(file).catch((error: unknown) => error as Error)) as Error;
  expect(message).toContain(words);
  expect(message).not.toContain(CANARY);
});
