import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RawLine, scrubLine } from "../../../src/core/logs/files/worker/line.ts";
import { createMatcher, type Search, printableText, shownText, mayBeTime } from "../../../src/core/logs/match.ts";
import { escapeRegExp } from "../../../src/core/words/text.ts";
import { propertyRuns } from "../../support/runs.ts";
import { isCandidate, scrub, SECRET } from "./candidate.ts";

function raw(text: string, offset = 0): RawLine {
  return { text: Buffer.from(text).toString(), size: Buffer.byteLength(text), offset, missing: 0, isTorn: false };
}

function isMatch(line: string, search: Search): boolean {
  const { message, fields, atMs } = scrubLine(raw(line), scrub);
  return createMatcher(search)({ text: message, fields, readTime: () => atMs });
}

const isFound = (line: string, search: Search): boolean => isMatch(line, search) && isCandidate(line, search);

const PINO =
  '{"level":30,"time":1764115200000,"pid":7,"msg":"user bob said \\"hi\\" in C:\\\\tmp","reqId":"a1","ms":1.50}';
const COLOURED = "\u001B[32minfo\u001B[39m: user \u001B[1mbob\u001B[22m logged in";

describe("a search finds what is shown", () => {
  test.each([
    ["a quotation mark in JSON", PINO, 'said "hi"'],
    ["a backslash in JSON", PINO, String.raw`C:\tmp`],
    ["the other members, as they are shown", PINO, "reqId=a1 ms=1.5"],
    ["text and members together", PINO, String.raw`tmp reqId=a1`],
    ["the message behind PM2's time", `2026-11-22T04:58:09.120Z: ${PINO}`, 'bob said "hi"'],
    ["Unicode escapes", '{"level":30,"msg":"gr\\u00f6\\u00dfe \\ud83d\\ude00 \\u0041bc"}', "größe 😀 Abc"],
    ["letters around a colour", COLOURED, "user bob logged"],
    ["letters that a colour interrupts", "pay\u001B[1mment\u001B[0m failed", "payment failed"],
    ["a colour inside JSON", '{"level":"info","message":"\\u001b[32mpay\\u001b[39mment"}', "payment"],
    ["a title of a terminal", "\u001B]0;title\u0007pay\u001B]8;;http://x\u001B\\ment", "payment"],
    [
      "winston",
      '{"level":"warn","message":"said \\"no\\"","meta":{"a":[1,2],"b":"x\\"y"}}',
      'meta={"a":[1,2],"b":"x\\"y"}',
    ],
    ["bunyan", '{"name":"api","hostname":"h","pid":1,"level":50,"msg":"it\\u2019s down","v":0}', "it’s down name=api"],
    ["JSON in PM2's JSON", JSON.stringify({ message: `${PINO}\n`, app_name: "a", process_id: 0 }), 'bob said "hi"'],
    [
      "a number in another spelling",
      '{"level":30,"msg":"x","n":1e3,"big":123456789012345678901234}',
      "n=1000 big=1.23",
    ],
    [
      "a stack",
      '{"level":50,"msg":"no","err":{"stack":"Error: \\"q\\"\\n    at x (C:\\\\a.js:1)"}}',
      String.raw`at x (C:\a.js:1)`,
    ],
    ["the first line of a text, and the members behind it", '{"level":50,"msg":"one\\ntwo","a":1}', "one a=1"],
    ["the last line of a text, and the members behind it", '{"level":50,"msg":"one\\ntwo","a":1}', "two a=1"],
    ["a tab, as it is", "one\ttwo", "one\ttwo"],
    ["a tab, as a terminal shows it", "one\ttwo", "one two"],
    ["CRLF", "user bob logged in\r", "logged in"],
    ["a masked value", `key ${SECRET} end`, "key [REDACTED] end"],
    ["a part of a mask and the text behind it", `key ${SECRET} end`, "ED] end"],
    ["brackets that are no mask", "[warn] slow query", "[warn] slow"],
    ["punctuation alone", "a => b", "=>"],
    ["the time of a line, as a terminal shows it", `2026-11-22T04:58:09.120Z ${COLOURED}`, "2026-11-22 04:58:09Z"],
    ["the time of a line, as JSON shows it", "[2026-11-22 05:58:09,120 +0100] x", "2026-11-22T04:58:09.120Z"],
    ["a part of a time in seconds", '{"level":30,"time":1764115200,"msg":"x"}', "-11-26 00:0"],
  ])("%s", (_case, line, grep) => {
    expect(isFound(line, { grep })).toBe(true);
    const inCapitals = grep.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
    expect(isFound(line, { grep: inCapitals, ignoreCase: true })).toBe(true);
    expect(isFound(line, { regexp: escapeRegExp(grep) })).toBe(true);
  });

  test("a pattern begins at the text, or at the time", () => {
    const line = "2026-11-22T04:58:09.120Z: tick 4";
    expect(isMatch(line, { regexp: "^tick" })).toBe(true);
    expect(isMatch(line, { regexp: "^2026-11-22 04:58:09Z +tick" })).toBe(true);
    expect(isMatch(line, { regexp: "^tock" })).toBe(false);
  });

  test("text is literal, a pattern is a regular expression, and both must match", () => {
    expect(isMatch("a.c", { grep: "a.c" })).toBe(true);
    expect(isMatch("abc", { grep: "a.c" })).toBe(false);
    expect(isMatch("a.C", { grep: "A.c" })).toBe(false);
    expect(isMatch("abc", { regexp: "a.c" })).toBe(true);
    expect(isMatch("abc", { regexp: "a.c", grep: "x" })).toBe(false);
    expect(isMatch("", {})).toBe(true);
    expect(() => createMatcher({ regexp: "(" })).toThrow(SyntaxError);
  });
});

describe("a search does not find what is hidden", () => {
  const escaped = SECRET.replace("c", String.raw`\u0063`);
  test.each([
    ["plain", `key ${SECRET} end`],
    ["in JSON", JSON.stringify({ level: 30, msg: `key ${SECRET}`, key: SECRET })],
    ["behind a Unicode escape", `{"level":30,"msg":"key ${escaped}","a":"${escaped}"}`],
    ["interrupted by a colour", "key canary-\u001B[31m1234567890"],
    ["beside the name of a secret", '{"level":30,"msg":"x","password":"canary-1234567890"}'],
    ["in PM2's JSON", JSON.stringify({ message: `{"level":30,"msg":"${escaped}"}`, app_name: "a", process_id: 0 })],
  ])("a secret %s", (_case, line) => {
    for (const part of [SECRET, "canary", "1234567890", "u0063anary", "anary-12"])
      for (const search of [{ grep: part }, { grep: part, ignoreCase: true }, { regexp: part }])
        expect(isMatch(line, search)).toBe(false);
  });

  test("the members and escapes of JSON that are not shown", () => {
    for (const grep of ['"level"', "pid", String.raw`\"hi\"`, "1764115200000"])
      expect(isMatch(PINO, { grep })).toBe(false);
  });
});

describe("laws", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.constantFrom(
      'said "hi"',
      String.raw`C:\tmp`,
      "größe",
      "red",
      SECRET,
      "[REDACTED]",
      "token=x1",
      "\t",
      "1e3",
      "0041",
    ),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(" "));
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom("1e3", "1.50", "1E400", "12345678901234567890123", "0.00000012"),
  );
  const escape = (json: string): string =>
    json.replaceAll(/[g-m]|[^ -~]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const json = fc
    .record({ msg: text, a: text, b: fc.record({ c: text, d: fc.array(text, { maxLength: 2 }) }), n: number })
    .chain(({ msg, a, b, n }) => {
      const members = `"level":40,"msg":${JSON.stringify(msg)},"a":${JSON.stringify(a)},"b":${JSON.stringify(b)},"n":${n}}`;
      return fc.constantFrom(`{${members}`, `{"stack":${JSON.stringify(a)},${members}`);
    })
    .chain((line) => fc.constantFrom(line, escape(line).replaceAll(String.raw`\\u`, "x")));
  const coloured = fc
    .array(fc.tuple(fc.constantFrom("\u001B[32m", "\u001B[1;31m", "\u001B[0m", "\u001B]0;t\u0007", "\u001Bc"), piece))
    .map((parts) => parts.flat().join(""));
  const inPm2 = json.map((line) => JSON.stringify({ message: `${line}\n`, app_name: "a", process_id: 1 }));
  const stamp = fc.constantFrom("", "2026-11-22T04:58:09.120Z ", "[2026-11-22 04:58:09,120] ", "2026-11-22 04:58:09: ");
  const line = fc
    .tuple(stamp, fc.oneof(text, json, coloured, inPm2))
    .map(([time, rest]) => (time + rest).replaceAll("\n", " "))
    .filter((whole) => whole !== "");

  test("each part of what is shown finds the line", () => {
    const cut = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(line, cut, fc.boolean(), (written, [at, length], ignoreCase) => {
        const { message, fields } = scrubLine(raw(written), scrub);
        const shown = shownText(message, fields);
        for (const form of [shown, printableText(shown) ?? shown]) {
          const grep = form.slice(at % form.length).slice(0, length);
          if (grep !== "" && grep.isWellFormed())
            expect([grep, isFound(written, { grep, ignoreCase })]).toEqual([grep, true]);
        }
      }),
      propertyRuns(300, 5000),
    );
  });

  test("the filter over the bytes keeps every line that matches, whatever the text", () => {
    fc.assert(
      fc.property(line, text, fc.boolean(), (written, grep, ignoreCase) => {
        const search = { grep, ignoreCase };
        if (isMatch(written, search)) expect(isCandidate(written, search)).toBe(true);
      }),
      propertyRuns(300, 5000),
    );
  });
});

test.each([
  ["8:15", false],
  ["08:15", true],
  ["2026-", true],
  ["20261", false],
  ["08:15x", false],
])("%s may be a part of the time of a line: %s", (text, expected) => expect(mayBeTime(text)).toBe(expected));
