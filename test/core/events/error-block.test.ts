import { expect, test } from "vitest";
import { lastErrorBlock, withoutPrefix } from "../../../src/core/logs/error-block.ts";

const block = (...lines: string[]) => lastErrorBlock(lines.map((text) => ({ text })));
const FRAMES = [
  "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
  "    at async main (file:///srv/app.mjs:3:1) {",
  "    at /srv/app.cjs:9:3",
];
const MISSING = [
  "node:internal/modules/cjs/loader:1207",
  "  throw err;",
  "  ^",
  "",
  "Error: Cannot find module './x'",
  "Require stack:",
  "- /srv/lib/auth.route.js",
  "- /srv/server.js",
  ...FRAMES,
  "  code: 'MODULE_NOT_FOUND',",
  "  requireStack: [ '/srv/lib/auth.route.js', '/srv/server.js' ]",
  "}",
  "",
  "Node.js v20.20.2",
];
/** As PM2 writes them for `time: true` and other values of `log_date_format`. */
const PREFIXES = [
  "",
  "2026-11-26T23:47:46: ",
  "2026-11-26 23:47:46 +00:00: ",
  "2026-11-26 23:47:46.123 Z: ",
  "26/11/2026 11:47 pm: ",
  "26.11.2026 23:47: ",
  "Nov 26th 26 11:47:46 pm: ",
  "Thursday, November 26, 2026 11:47 PM: ",
  "[2026-11-26]: ",
  "1764200000000: ",
];

test.each([
  ["a missing module", MISSING, "Error: Cannot find module './x'"],
  [
    "a taken port",
    [
      "node:events:502",
      "      throw er; // Unhandled 'error' event",
      "      ^",
      "",
      "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
      ...FRAMES,
      "Emitted 'error' event on Server instance at:",
      "    at emitErrorNT (node:net:1944:8) {",
      "  code: 'EADDRINUSE',",
      "  errno: -98,",
      "  address: '127.0.0.1',",
      "  port: 3000",
      "}",
    ],
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
  ],
  [
    "a syntax error",
    ["/srv/app.js:1", "const a = ;", "          ^", "", "SyntaxError: Unexpected token ';'", ...FRAMES],
    "SyntaxError: Unexpected token ';'",
  ],
  [
    "a rejection in a cluster",
    [
      "You have triggered an unhandledRejection, you may have forgotten to catch a Promise rejection:",
      "Error: late",
      ...FRAMES,
    ],
    "Error: late",
  ],
  [
    "a circular cause",
    ["<ref *1> Error: certificate has expired", ...FRAMES, "  [cause]: [Circular *1]", "}"],
    "<ref *1> Error: certificate has expired",
  ],
  [
    "an error without a stack",
    ["[Error: ENOENT: no such file, open 'x'] {", "  errno: -2", "}"],
    "Error: ENOENT: no such file, open 'x'",
  ],
  ["the newer of two errors", ["Error: first", ...FRAMES, "TypeError: second", ...FRAMES], "TypeError: second"],
  ["an error above later words", ["Error: lost db", ...FRAMES, "closed", "bye"], "Error: lost db"],
  [
    "a full heap",
    [
      "<--- Last few GCs --->",
      "[8086:0x3df68d30]      605 ms: Mark-Compact 19.5 (28.7) -> 18.5 (52.7) MB",
      "<--- JS stacktrace --->",
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
      "----- Native stack trace -----",
      " 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node /srv/heap.js]",
    ],
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
  ],
  ["words alone", ["started", "lost the database"], "lost the database"],
])("the reason of %s is its first line, after each prefix", (_title, lines, reason) => {
  for (const prefix of PREFIXES) {
    expect({ prefix, reason: block(...lines.map((line) => prefix + line)).reason }).toEqual({ prefix, reason });
  }
});

test("the error of a logger is one although its words do not say so", () => {
  expect(lastErrorBlock([{ text: "no route", isError: true }, { text: "closed" }]).reason).toBe("no route");
});

test.each(["Error: port 3000: taken", "10.0.0.5: no route", "3 apps: fail", "at last: the end", "may 3: x", ""])(
  "%j has no prefix",
  (line) => expect(withoutPrefix(line)).toBe(line),
);

test("a log of stacks alone has no reason", () => {
  expect(block(...FRAMES, "}").reason).toBeUndefined();
});

test("consecutive equal lines are counted", () => {
  expect(block("a", "a", "b", "a", "c", "c", "c").lines).toEqual(["a (2 times)", "b", "a", "c (3 times)"]);
  const text = { text: "a" };
  expect(lastErrorBlock([text, text, { text: "b" }, text, text], true).lines).toEqual([
    "a (at least 2 times)",
    "b",
    "a (2 times)",
  ]);
});

test.each([
  [6, ["TypeError: x is not a function"]],
  [7, ["TypeError: x is not a function"]],
  [8, ["/srv/app.js:1", ...Array.from({ length: 8 }, (_, at) => `let a${at} = 1;`), "TypeError: x is not a function"]],
])("of %i lines of code above an error, at most seven are taken for its source", (count, shown) => {
  const code = Array.from({ length: count }, (_, at) => `let a${at} = 1;`);
  expect(block("/srv/app.js:1", ...code, "TypeError: x is not a function").lines).toEqual(shown);
});

const PYTHON = [
  "Traceback (most recent call last):",
  '  File "/srv/app.py", line 9, in <module>',
  '    HTTPServer(("", 3000), H).serve_forever()',
  '  File "/usr/lib/python3.11/selectors.py", line 415, in select',
  "    fd_event_list = self._selector.poll(timeout)",
  "                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
];

test("Python reports the signal of a stop, which is not why a later process ended", () => {
  expect(block(...PYTHON, "KeyboardInterrupt")).toEqual({ reason: undefined, hasError: false, lines: [] });
  expect(block("port taken", ...PYTHON, "KeyboardInterrupt").reason).toBe("port taken");
  const missing = "ModuleNotFoundError: No module named 'flask'";
  expect(block(...PYTHON, missing, ...PYTHON, "KeyboardInterrupt")).toMatchObject({
    reason: missing,
    lines: [missing],
  });
});

test("frames of a list of errors and markers of Python are left out", () => {
  const frame = "        at process.processTimers (node:internal/timers:519:7),";
  expect(block("Error: first", frame, "Error: second", ...FRAMES).lines).toEqual(["Error: first", "Error: second"]);
  expect(
    block('  File "a.py", line 5, in f', "    1/0", "    ~^~", "ZeroDivisionError: division by zero").lines,
  ).toEqual(["ZeroDivisionError: division by zero"]);
});
