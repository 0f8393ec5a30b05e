/** The error that a worker writes to pm2.log before it has a log, and whose it is. */
import { expect, test } from "vitest";
import { earlyErrors } from "../../../src/core/logs/early-errors.ts";

const line = (second: number, text: string): string =>
  `2026-11-22T12:00:${String(second).padStart(2, "0")}: PM2 log: ${text}`;
const starts = (second: number, id: string): string[] => [
  line(second, `App [${id}] starting in -cluster mode-`),
  line(second, `App [${id}] online`),
];
const ends = (second: number, id: string, how = "[1] via signal [SIGINT]"): string[] => [
  line(second, `App name:${id.replace(":", " id:")} disconnected`),
  line(second, `App [${id}] exited with code ${how}`),
];
const error = (text: string): string[] => [
  "/srv/pre.js:1",
  `throw new Error("${text}")`,
  "^",
  "",
  `Error: ${text}`,
  "    at Object.<anonymous> (/srv/pre.js:1:7)",
  "",
  "Node.js v20.20.2",
];
const FATAL = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const abort = ["<--- Last few GCs --->", "", FATAL, "----- Native stack trace -----", " 1: 0xb78db3 node::OOM [node]"];
const ABORTED = "[0] via signal [SIGABRT]";
const SECOND = new Date(2026, 10, 22, 12).getTime();

test.each<[string, readonly string[], string | undefined]>([
  ["of its own run", [...starts(1, "web:0"), ...error("a"), ...ends(2, "web:0")], "Error: a"],
  [
    "of two instances that end together",
    [
      ...starts(1, "web:0"),
      ...starts(1, "web:1"),
      ...error("a"),
      ...error("a"),
      ...ends(2, "web:1"),
      ...ends(2, "web:0"),
    ],
    "Error: a",
  ],
  [
    "that another app may have written, which loads",
    [...starts(1, "web:0"), ...starts(1, "api:1"), ...error("a"), ...ends(2, "web:0")],
    undefined,
  ],
  [
    "after a line of another app that has loaded",
    [...starts(1, "api:1"), ...error("a"), ...ends(20, "web:0")],
    "Error: a",
  ],
  ["of which two differ", [...starts(1, "web:0"), ...error("a"), ...error("b"), ...ends(2, "web:0")], undefined],
  [
    "of the end of another app",
    [...starts(1, "web:0"), ...error("a"), ...ends(2, "api:1"), ...ends(2, "web:0")],
    undefined,
  ],
  ["none, of a long run", [...starts(1, "web:0"), ...ends(20, "web:0")], undefined],
  ["an abort", [...starts(1, "api:1"), ...abort, ...ends(5, "web:0", ABORTED)], FATAL],
  [
    "an abort and an error beside it",
    [...starts(1, "api:1"), ...abort, ...error("a"), ...ends(5, "web:0", ABORTED)],
    FATAL,
  ],
  [
    "an error of an abort that is no abort",
    [...starts(1, "web:0"), ...error("a"), ...ends(5, "web:0", ABORTED)],
    undefined,
  ],
  [
    "of an earlier end",
    [...starts(1, "web:0"), ...error("a"), ...ends(2, "web:0"), ...starts(50, "web:0"), ...ends(55, "web:0")],
    "Error: a",
  ],
])("the error %s", (_what, lines, expected) => {
  expect(earlyErrors(lines, { name: "web", fromMs: SECOND, upToMs: SECOND + 40_000 })[0]).toBe(expected);
});

test("an end before the time is not looked at", () => {
  const lines = [...starts(1, "web:0"), ...error("a"), ...ends(2, "web:0")];
  expect(earlyErrors(lines, { name: "web", fromMs: SECOND + 3000, upToMs: Infinity })).toEqual([]);
  expect(earlyErrors(lines, { name: "web", fromMs: SECOND + 5000, upToMs: Infinity }, (ms) => ms + 3000)).toHaveLength(
    4,
  );
});
