import { expect, test } from "vitest";
import { collapseRepeats, removeStackLines } from "../../../src/core/events/why.ts";

test("the code and the message of an uncaught error are kept", () => {
  const lines = [
    "/srv/app.cjs:1",
    'throw new Error("no module x");',
    "^",
    "",
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
    "    at Server.setupListenHandle [as _listen2] (node:net:1907:16)",
    "    at Module.load (node:internal/modules/cjs/loader:1266:32) {",
    "  code: 'EADDRINUSE',",
    "  errno: -98,",
    "  syscall: 'listen',",
    "  address: '127.0.0.1',",
    "  port: 3000",
    "}",
    "",
    "Node.js v20.20.2",
  ];
  expect(removeStackLines(lines)).toEqual([
    "/srv/app.cjs:1",
    'throw new Error("no module x");',
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
  ]);
});

test("the message of an error event without a listener is kept", () => {
  const lines = [
    "node:events:502",
    "      throw er; // Unhandled 'error' event",
    "      ^",
    "",
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
    "    at Server.setupListenHandle [as _listen2] (node:net:1908:16)",
    "Emitted 'error' event on Server instance at:",
    "    at emitErrorNT (node:net:1944:8)",
  ];
  expect(removeStackLines(lines)).toEqual(["Error: listen EADDRINUSE: address already in use 127.0.0.1:3000"]);
});

test.each(["at last, the database answers no more", "code red", "{ a: 1 }", "  indented"])("%j stays", (line) => {
  expect(removeStackLines([line, "}"])).toEqual([line]);
});

test("a stack without a message stays as it is", () => {
  expect(removeStackLines(["    at a (b:1:2)", "}"])).toEqual(["    at a (b:1:2)", "}"]);
});

test("consecutive equal lines are counted", () => {
  expect(collapseRepeats(["a", "a", "b", "a", "c", "c", "c"])).toEqual(["a (2 times)", "b", "a", "c (3 times)"]);
});
