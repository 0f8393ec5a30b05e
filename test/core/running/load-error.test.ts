/** Error logs of cluster workers as PM2 7 writes them. */
import { expect, test } from "vitest";
import { loadErrorOf } from "../../../src/core/running/serving.ts";

const ANNOUNCEMENT = "You have triggered an unhandledRejection, you may have forgotten to catch a Promise rejection:";
const INTERNAL = "    at finalizeResolution (node:internal/modules/esm/resolve:283:11)";
const MISSING = "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/missing.js' imported from /srv/server.js";
const OF_FUNCTION = "    at Timeout._onTimeout (file:///srv/server.js:1:50)";
const OF_MODULE = "    at file:///srv/server.js:1:7";
const RUN = "    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)";

test.each([
  ["module", "a missing module", [ANNOUNCEMENT, MISSING, INTERNAL]],
  [
    "module",
    "a message of several lines",
    [ANNOUNCEMENT, "file:///srv/server.js:1", "import { a }", "", "SyntaxError: no a", INTERNAL],
  ],
  ["module", "an error in no function", [ANNOUNCEMENT, "Error: top", OF_MODULE, RUN]],
  [
    "module",
    "an error in no function of CommonJS",
    [ANNOUNCEMENT, "Error: top", "    at Object.<anonymous> (/srv/lib.cjs:1:7)"],
  ],
  ["module", "lines with a date", [ANNOUNCEMENT, MISSING, INTERNAL].map((line) => `2026-11-28T10:00:00: ${line}`)],
  ["module", "members of the error", [ANNOUNCEMENT, MISSING, `${INTERNAL} {`, "  code: 'ERR_MODULE_NOT_FOUND'", "}"]],
  ["module", "the second of two starts", ["Error: first", OF_MODULE, ANNOUNCEMENT, MISSING, INTERNAL]],
  ["rejection", "an error of a function", [ANNOUNCEMENT, "Error: no database", OF_FUNCTION]],
  [
    "rejection",
    "a function that the module called",
    [ANNOUNCEMENT, "Error: no", "    at warm (file:///srv/server.js:1:3)", OF_MODULE, RUN],
  ],
  ["rejection", "no stack", [ANNOUNCEMENT, "no database"]],
  ["handled", "an error that the program wrote", ["Error: start warning", OF_MODULE, RUN]],
  ["handled", "a line after it", [ANNOUNCEMENT, MISSING, INTERNAL, "ready"]],
  ["handled", "the start after it", [ANNOUNCEMENT, MISSING, INTERNAL, "Error: start warning", OF_MODULE, RUN]],
])("%s: %s", (kind, _, lines) => {
  expect(loadErrorOf(lines)).toBe(kind);
});
