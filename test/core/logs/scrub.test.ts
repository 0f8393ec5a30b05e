import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inspect } from "node:util";
import { createLineScrubber } from "../../../src/core/logs/line.ts";

const SECRET = 'p"ss w/rd-9f3\nsecond line of it';
const { complete: whole, truncated: cut } = createLineScrubber([SECRET, "canary-1234567890"]);

test.each([
  ["as it is", "key canary-1234567890 end", "key [REDACTED] end"],
  ["in JSON", JSON.stringify({ a: SECRET }), '{"a":"[REDACTED]"}'],
  ["in a URL", `/?q=${encodeURIComponent(SECRET)}`, "/?q=[REDACTED]"],
  ["line by line", "second line of it", "[REDACTED]"],
  ["interrupted by a colour", "canary-\u001B[31m1234567890", "[REDACTED]"],
  ["beside the name of a secret", '{"password":"x1","msg":"y"}', '{"password":"[REDACTED]","msg":"y"}'],
  [
    "beside a name in JSON in JSON",
    '{"body":"{\\"apiKey\\":\\"x1\\"}","msg":"y"}',
    '{"body":"{\\"apiKey\\":\\"[REDACTED]\\"}","msg":"y"}',
  ],
  ["in an assignment", "DB_PASSWORD=x1 next", "DB_PASSWORD=[REDACTED] next"],
  ["that is known, beside a name,", "password=canary-1234567890", "password=[REDACTED]"],
  ["behind Bearer", "Authorization: Bearer abc.def-123", "Authorization: Bearer [REDACTED]"],
  ["in an address", "redis://u:p@h/0", "redis://[REDACTED]@h/0"],
])("a secret %s is hidden", (_case, line, expected) => {
  expect(whole(line)).toBe(expected);
});

test.each(["tokens: 12 of 40", "GET /api?page=2", "a@b", "[2mplain"])("%j stays as it is", (line) => {
  expect(whole(line)).toBe(line);
});

test("the beginning of a secret at the end of a truncated line is hidden", () => {
  expect(cut("key=canary-12345")).toBe("key=[REDACTED]");
  expect([cut("a canal"), cut("a banary-12")]).toEqual(["a canal", "a banary-12"]);
  expect([cut("a can"), cut("a cana")]).toEqual(["a can", "a [REDACTED]"]);
  expect(whole("key canary-12345")).toBe("key canary-12345");
});

test("colours and other escape sequences are removed", () => {
  expect(whole("\u001B[32mINFO\u001B[39m ok \u001B]0;title\u0007done\u001B[2J")).toBe("INFO ok done");
});

const parts = [
  "GET /orders 200",
  "token",
  "token:",
  "--api-key",
  "=",
  '"',
  "'",
  "bearer ",
  "redis://u:p",
  "@h",
  "?key=x1",
  "canary-1234567890",
  "canary-",
  "[REDACTED]",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx",
  "\u001B[31m",
  "\\",
  " ",
];

test("lines that are unchanged together are also unchanged one by one", () => {
  const line = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((words) => words.join(""));
  const check = (lines: readonly string[]): void => {
    const block = lines.join("\n");
    if (whole(block) === block) expect(lines.map(whole)).toEqual(lines);
  };
  fc.assert(fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), check), { numRuns: 5000 });
});

describe("a secret in another spelling", () => {
  const secret = `p/w?"x' y+\\z~ü-7f3a`;
  const { complete } = createLineScrubber([secret]);
  const bytes = Buffer.from(secret);
  test.each([
    ["base64", bytes.toString("base64").replace(/=+$/, "")],
    ["base64url", bytes.toString("base64url")],
    ["base64 behind a user name", Buffer.from(`shop:${secret}`).toString("base64")],
    ["base64 behind another name", Buffer.from(`admin:${secret}`).toString("base64")],
    ["base64 in the middle", Buffer.from(`ab${secret}cd`).toString("base64")],
    ["hex", bytes.toString("hex")],
    ["hex in capitals", bytes.toString("hex").toUpperCase()],
    ["a form", new URLSearchParams({ v: secret }).toString().slice(2)],
    ["a URL", encodeURIComponent(secret)],
    ["util.inspect", inspect({ v: secret })],
    ["JSON", JSON.stringify({ v: secret })],
    ["JSON in JSON", JSON.stringify({ v: JSON.stringify({ w: secret }) })],
  ])("%s is hidden", (_form, text) => {
    const shown = complete(`before ${text} after`);
    expect(shown).toContain("[REDACTED]");
    expect(shown).toMatch(/^before .* after$/);
    const core = text.slice(text.length / 2 - 4, text.length / 2 + 4);
    expect(shown).not.toContain(core);
  });
});
