import { describe, expect, test, vi } from "vitest";
import { isAtLeast, parseLine } from "../../../src/core/logs/line.ts";

const AT = Date.parse("2026-11-22T04:58:09.120Z");

describe("a line of text", () => {
  test.each([
    ["2026-11-22T04:58:09.120Z listening", "listening", null],
    ["[2026-11-22 04:58:09,120 +0000] listening", "listening", null],
    ["2026-11-22 05:58:09.120+01:00: [warn] slow", "[warn] slow", "warn"],
    ["2026-11-22T04:58:09.120Z ERROR no database", "ERROR no database", "error"],
    ["2026-11-22T04:58:09.120Z TypeError: x is not a function", "TypeError: x is not a function", "error"],
  ] as const)("%j has a time", (line, text, level) => {
    expect(parseLine(line)).toEqual({ atMs: AT, text, level });
  });

  test("a time without a zone is in the machine's zone", () => {
    expect(parseLine("2026-11-22T04:58:09: tick").atMs).toBe(new Date(2026, 10, 22, 4, 58, 9).getTime());
  });

  test.each(["tick", "2026-11-22 is a date", "2026-99-99T99:99:99 x", "", "Info about it", "INFORMATIONAL x"])(
    "%j has neither a time nor a level",
    (line) => expect(parseLine(line)).toEqual({ atMs: null, level: null, text: line }),
  );
});

describe("a 12-hour clock", () => {
  test.each([
    ["2026-11-22 12:05:09 AM: tick", 0],
    ["2026-11-22 1:05:09 am tick", 1],
    ["2026-11-22 12:05:09 PM: tick", 12],
    ["[2026-11-22 11:05:09 p.m.] tick", 23],
  ])("%s", (line, hour) => {
    expect(parseLine(line)).toMatchObject({ atMs: new Date(2026, 10, 22, hour, 5, 9).getTime(), text: "tick" });
  });
});

test("a local time that occurs twice has both readings", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  expect(parseLine("2026-10-25 02:30:00 tick")).toMatchObject({
    atMs: Date.parse("2026-10-25T00:30:00Z"),
    laterMs: Date.parse("2026-10-25T01:30:00Z"),
  });
  expect(parseLine("2026-10-25 03:30:00 tick").laterMs).toBeUndefined();
  vi.unstubAllEnvs();
});

describe("a line of JSON", () => {
  test("pino: the level as a number, milliseconds, other properties", () => {
    const line = JSON.stringify({
      level: 50,
      time: AT,
      pid: 1,
      hostname: "h",
      reqId: "a1",
      err: { message: "no", stack: "Error: no\n  at x" },
      msg: "failed",
    });
    expect(parseLine(line)).toEqual({
      atMs: AT,
      level: "error",
      text: "failed\nError: no\n  at x",
      fields: { reqId: "a1", err: '{"message":"no"}' },
    });
  });

  test("winston: the level as a word, message, timestamp", () => {
    const line = '{"level":"warn","message":"slow","timestamp":"2026-11-22T04:58:09.120Z","ms":12}';
    expect(parseLine(line)).toEqual({ atMs: AT, level: "warn", text: "slow", fields: { ms: "12" } });
  });

  test("PM2's own format: the message, which may be JSON again", () => {
    const pm2 = (message: string) =>
      JSON.stringify({ message, timestamp: "2026-11-22T04:58:09.120Z", type: "out", process_id: 3, app_name: "a" });
    expect(parseLine(pm2("tick\n"))).toEqual({ atMs: AT, level: null, text: "tick" });
    expect(parseLine(pm2("one\ntwo\n")).text).toBe("one\ntwo");
    expect(parseLine(pm2('{"level":20,"msg":"x"}\n'))).toEqual({ atMs: AT, level: "debug", text: "x" });
  });

  test("after PM2's timestamp", () => {
    expect(parseLine('2026-11-22T04:58:09.120Z: {"level":30,"msg":"x"}')).toEqual({
      atMs: AT,
      level: "info",
      text: "x",
    });
  });

  test.each(['{"a":1}', '{"level":30,"msg":"x"', "{not json}", '{"message":1}'])(
    "%s without text and level stays text",
    (line) => {
      expect(parseLine(line)).toMatchObject({ level: null, text: line });
    },
  );

  test.each([1e300, -1, Number.NaN, "soon"])("%s is not a time", (time) => {
    expect(parseLine(JSON.stringify({ level: 30, time, msg: "x" })).atMs).toBeNull();
  });
});

test("a line without a level is an error on standard error, and info on standard output", () => {
  expect(isAtLeast("warn", null, "err")).toBe(true);
  expect(isAtLeast("warn", null, "out")).toBe(false);
  expect(isAtLeast("warn", "info", "err")).toBe(false);
  expect(isAtLeast("warn", "fatal", "out")).toBe(true);
  expect(isAtLeast("warn", "warn", "out")).toBe(true);
});
