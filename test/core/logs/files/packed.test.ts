import { expect, test } from "vitest";
import { packLines, toLogLines, unpackLines } from "../../../../src/core/logs/files/protocol.ts";
import { splitLines } from "../../../../src/core/logs/files/worker/line.ts";

test("lines keep every property, read in this thread or sent by the worker", () => {
  const out = { app: "api", pmId: 3, stream: "out", file: "api-out.log" } as const;
  const err = { app: "billing", pmId: null, stream: "err", file: "billing-error.log" } as const;
  const atMs = Date.parse("2026-11-22T04:58:09.007Z");
  const lines = [
    { source: out, atMs, level: null, text: "first\n  at x.js", fields: undefined, offset: 0 },
    { source: err, atMs, level: "fatal", text: "", fields: { reqId: "7" }, offset: 2 ** 40 },
    { source: out, atMs: atMs + 1, level: "trace", text: "größer 🙂", fields: undefined, offset: 20 },
    { source: out, atMs: null, level: null, text: "last", fields: undefined, offset: 40 },
    { source: out, atMs: -1.5, level: null, text: "before 1970", fields: undefined, offset: 50 },
  ] as const;
  const sent = unpackLines(structuredClone(packLines(lines)));
  expect(sent).toEqual([
    { at: "2026-11-22T04:58:09.007Z", ...out, level: null, text: "first\n  at x.js", offset: 0 },
    { at: "2026-11-22T04:58:09.007Z", ...err, level: "fatal", text: "", fields: { reqId: "7" }, offset: 2 ** 40 },
    { at: "2026-11-22T04:58:09.008Z", ...out, level: "trace", text: "größer 🙂", offset: 20 },
    { at: null, ...out, level: null, text: "last", offset: 40 },
    { at: "1969-12-31T23:59:59.998Z", ...out, level: null, text: "before 1970", offset: 50 },
  ]);
  expect(JSON.stringify(toLogLines(lines))).toBe(JSON.stringify(sent));
});

test.each([
  ["ASCII", "one\n\ntwo\r\nthree"],
  ["UTF-8", "größer\n\n🙂\r\nthree"],
  ["bytes that are not UTF-8", Buffer.from("a\xFF\n\n\xC3\nthree", "latin1")],
])("lines of %s have their positions in the file", (_case, content) => {
  const bytes = Buffer.from(content as string);
  const found = splitLines(bytes, 100).map(({ text, size, offset }) => {
    expect(bytes.toString("utf8", offset - 100, offset - 100 + size)).toBe(text);
    return text;
  });
  expect(found).toEqual(
    bytes
      .toString()
      .split("\n")
      .filter((line) => line !== ""),
  );
});
