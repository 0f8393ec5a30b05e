/** Hostile ecosystem files. Each contains the canary where a careless error message would quote it. */
export const CANARY = "canary9hostileK4x";

export interface HostileFile {
  readonly what: string;
  readonly text: string;
  readonly code: string;
  readonly ending?: string;
  readonly at?: string;
}

const threw = "ECOSYSTEM_FILE_THREW";
const syntax = "ECOSYSTEM_FILE_SYNTAX";
const exported = "ECOSYSTEM_EXPORT_INVALID";

export const hostileFiles: readonly HostileFile[] = [
  { what: "a syntax error", text: `module.exports = { a: "${CANARY}" b };`, code: syntax, at: "1" },
  { what: "a throw behind a value", text: `const a = "${CANARY}"; null.a;`, code: threw, at: "1" },
  { what: "a throw behind names", text: "\nconst a = b.c({ d: null.e });", code: threw, at: "2:11" },
  { what: "a throw in a template", text: `const a = \`\n${CANARY}\${null.a}\`;`, code: threw, at: "2" },
  { what: "an open string", text: `\nconst a = "${CANARY};`, code: syntax, at: "2:11" },
  { what: "a throw", text: `\n\nthrow new Error("${CANARY}");`, code: threw, at: "3:7" },
  { what: "a thrown text", text: `throw "${CANARY}";`, code: threw },
  { what: "a thrown null", text: "throw null;", code: threw },
  {
    what: "a thrown proxy",
    text: `throw new Proxy(new Error(), { get() { throw new Error("${CANARY}") }, getPrototypeOf() { throw 1 } });`,
    code: threw,
  },
  {
    what: "an error with a forged stack",
    text: `const e = new Error("x"); e.stack = "Error\\n    at (/${CANARY}:1:1)"; throw e;`,
    code: threw,
  },
  { what: "a ReferenceError", text: `${CANARY};`, code: threw, at: "1:1" },
  {
    what: "a thrown secret of a file that only it reads",
    text: `throw new Error("no access with " + require("fs").readFileSync(__filename, "utf8").slice(-${CANARY.length}));//${CANARY}`,
    code: threw,
    at: "1:7",
  },
  { what: "a missing file", text: `require("fs").readFileSync("/${CANARY}");`, code: threw },
  {
    what: "a failed command",
    text: `require("child_process").execFileSync("/${CANARY}", ["${CANARY}"]);`,
    code: threw,
  },
  { what: "broken text in JSON", text: `JSON.parse('{"a": ${CANARY}}');`, code: threw },
  { what: "a property of nothing", text: `({}).a["${CANARY}"];`, code: threw },
  { what: "a call of no function", text: `const o = {}; o["${CANARY}"]();`, code: threw },
  { what: "a computed module", text: `require("${CANARY}" + "");`, code: "ECOSYSTEM_MODULE_NOT_FOUND", at: "1:1" },
  {
    what: "a forged missing module",
    text: `throw Object.assign(new Error("Cannot find module '${CANARY}'"), { code: "MODULE_NOT_FOUND" });`,
    code: "ECOSYSTEM_MODULE_NOT_FOUND",
  },
  {
    what: "an error whose every member is a secret",
    text: `const s = "${CANARY}"; throw Object.assign(new Error(s, { cause: s }), { code: s, name: s, path: __filename, syscall: s, status: s, pid: 1 });`,
    code: threw,
  },
  {
    what: "a class of its own",
    text: `class ${CANARY} extends TypeError {} throw new ${CANARY}("${CANARY}");`,
    code: threw,
  },
  { what: "several errors", text: `throw new AggregateError([new Error("${CANARY}")], "${CANARY}");`, code: threw },
  { what: "a broken pattern", text: `const a = /${CANARY}(/;`, code: syntax },
  { what: "a name twice", text: `let ${CANARY}; let ${CANARY};`, code: syntax },
  { what: "a missing export", text: `import { ${CANARY} } from "node:fs";`, code: threw, ending: "mjs" },
  { what: "process.exit(0)", text: "process.exit(0);", code: "ECOSYSTEM_FILE_EXITED" },
  { what: "process.exit(7)", text: "process.exit(7);", code: "ECOSYSTEM_FILE_EXITED" },
  { what: "process.abort()", text: "process.abort();", code: "ECOSYSTEM_FILE_CRASHED" },
  { what: "killing itself", text: "process.kill(process.pid, 'SIGKILL'); for (;;);", code: "ECOSYSTEM_FILE_CRASHED" },
  { what: "an endless loop", text: "for (;;);", code: "ECOSYSTEM_FILE_TIMEOUT" },
  {
    what: "an endless wait",
    text: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    code: "ECOSYSTEM_FILE_TIMEOUT",
  },
  { what: "an endless recursion", text: "(function f() { f(); })();", code: threw },
  { what: "a promise", text: "module.exports = new Promise(() => {});", code: exported },
  { what: "a module that awaits", text: "await new Promise(() => {});", code: "ECOSYSTEM_FILE_ASYNC", ending: "mjs" },
  {
    what: "a missing dependency",
    text: `require("a-module-that-is-not-there"); "${CANARY}";`,
    code: "ECOSYSTEM_MODULE_NOT_FOUND",
    at: "1:1",
  },
  {
    what: "a missing dependency of a module",
    text: 'import "a-module-that-is-not-there";',
    code: "ECOSYSTEM_MODULE_NOT_FOUND",
    ending: "mjs",
  },
  {
    what: "a huge text",
    text: 'module.exports = { apps: [{ name: "x".repeat(2 ** 26) }] };',
    code: "ECOSYSTEM_FILE_TOO_LARGE",
  },
  {
    what: "a huge list",
    text: 'module.exports = { apps: Array.from({ length: 1e6 }, () => ({ name: "a" })) };',
    code: "ECOSYSTEM_FILE_TOO_LARGE",
  },
  {
    what: "an endless list",
    text: "module.exports = { apps: new Array(2 ** 32 - 1) };",
    code: "ECOSYSTEM_FILE_TOO_LARGE",
  },
  {
    what: "an object that grows as it is read",
    text: "const f = () => new Proxy({}, { ownKeys: () => ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: f }); module.exports = { apps: [{ env: f() }] };",
    code: "ECOSYSTEM_FILE_TOO_LARGE",
  },
  {
    what: "too much heap",
    text: "const a = []; for (;;) a.push(new Array(1e6).fill(0));",
    code: "ECOSYSTEM_FILE_CRASHED",
  },
  { what: "a large Buffer", text: "Buffer.alloc(2 ** 31, 1);", code: threw },
  {
    what: "a getter that throws",
    text: `module.exports = { get apps() { throw new Error("${CANARY}") } };`,
    code: threw,
  },
  {
    what: "a field that throws",
    text: `module.exports = { apps: [{ get env() { throw new TypeError("${CANARY}") } }] };`,
    code: threw,
  },
  {
    what: "a proxy that throws",
    text: `module.exports = new Proxy({}, { get() { throw "${CANARY}" }, has() { throw 1 } });`,
    code: threw,
  },
  { what: "a function", text: `module.exports = () => ({ apps: ["${CANARY}"] });`, code: exported },
  { what: "a number", text: "module.exports = 7;", code: exported },
  { what: "null", text: "module.exports = null;", code: exported },
  { what: "apps that are text", text: `module.exports = { apps: "${CANARY}" };`, code: exported },
  { what: "an app that is null", text: "module.exports = { apps: [{ script: 'a' }, null] };", code: exported },
  { what: "a forged result", text: `require("fs").writeSync(3, "${CANARY}\\n"); for (;;);`, code: exported },
  {
    what: "a flood where the result is expected",
    text: `const b = Buffer.alloc(65536, "x"); for (;;) require("fs").writeSync(3, b);`,
    code: "ECOSYSTEM_FILE_TOO_LARGE",
  },
  {
    what: "an inherited toJSON",
    text: `Object.prototype.toJSON = () => "${CANARY}"; module.exports = { apps: [] };`,
    code: exported,
  },
  {
    what: "output everywhere",
    text: `for (const n of [1, 2]) require("fs").writeSync(n, "${CANARY}"); throw 1;`,
    code: threw,
  },
  {
    what: "broken JSON",
    text: `{ "apps": [ { "name": "${CANARY}" "b" } ] }`,
    code: syntax,
    ending: "json",
    at: "1",
  },
  { what: "broken YAML", text: `apps:\n  - name: [${CANARY}\n`, code: syntax, ending: "yaml" },
  {
    what: "YAML that explodes",
    text: [
      `a: &a [${'"x",'.repeat(9)}]`,
      ..."bcdefgh".split("").map((n, i) => `${n}: &${n} [${`*${"abcdefg"[i]},`.repeat(9)}]`),
      "apps: [*h]",
    ].join("\n"),
    code: syntax,
    ending: "yml",
  },
];
