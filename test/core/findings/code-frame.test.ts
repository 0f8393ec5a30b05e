import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { renderFrame } from "../../../src/core/findings/text.ts";
import { anyCharacter } from "../../support/any-character.ts";

function pointedAt(line: string, column: number): string {
  const { source, caret } = renderFrame(line, column)!;
  let rest = source;
  while (rest !== "" && stringWidth(source) - stringWidth(rest) < caret.length - 1)
    rest = rest.slice(rest.codePointAt(0)! > 0xffff ? 2 : 1);
  return rest;
}

describe("frameLine", () => {
  test.each([
    ["plain text", "port: x", 7, "x"],
    ["after a tab", "\tport:\tx", 8, "x"],
    ["after wide characters", "名前: 値x", 6, "x"],
    ["after an emoji of many units", "👩‍👩‍👧: x", 11, "x"],
    ["after combining marks", "e\u0301: x", 5, "x"],
    ["behind the end", "a: ", 4, ""],
    ["far beyond the end", "a:", 400, ""],
    ["after a masked part", "redis://u:p@host x", 18, "x"],
    ["in a masked part", "redis://u:p@host x", 11, "[REDACTED]@host x"],
    ["before a masked part", "a redis://u:p@host", 3, "redis://[REDACTED]@host"],
    ["between two masked parts", "a://u:p@h x b://u:p@h", 11, "x b://[REDACTED]@h"],
  ])("%s", (_, line, column, expected) => {
    expect(pointedAt(line, column)).toBe(expected);
  });

  test.each([
    ["at its start", 1, /^X {2}a+…$/],
    ["in its middle", 501, /^…a+X {2}a+…$/],
    ["at its end", 998, /^…a+X {2}$/],
  ])("a long line is cut around the caret: %s", (_, column, shape) => {
    const line = `${"a".repeat(column - 1)}X  ${"a".repeat(998 - column)}`;
    const { source, caret } = renderFrame(line, column)!;
    expect(source.padEnd(caret.length + 2)).toMatch(shape);
    expect(source[caret.length - 1]).toBe("X");
    expect(source.length).toBeLessThanOrEqual(120);
  });

  test("a line of wide characters is cut by columns, not by characters", () => {
    const { source, caret } = renderFrame("値".repeat(300), 150)!;
    expect(stringWidth(source)).toBeLessThanOrEqual(120);
    expect(stringWidth(source)).toBeGreaterThan(110);
    expect(caret.length).toBeLessThanOrEqual(120);
  });

  test("a frame that is cut shows no part of a secret", () => {
    const line = `${"a".repeat(200)} redis://user:${"s".repeat(500)}@host/${"b".repeat(200)}`;
    for (let column = 1; column < line.length; column += 7)
      expect(renderFrame(line, column)!.source).not.toMatch(/ss|user/);
  });

  test("a line that is too long to be written by hand is not framed", () => {
    expect(renderFrame("a".repeat(2001), 1)).toBeUndefined();
  });

  test("any line and column: does not throw, and is at most 120 columns wide", () => {
    const anyLine = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 400 }),
    );
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 1, max: 500 }), (line, column) => {
        const { source, caret } = renderFrame(line, column)!;
        expect(caret).toMatch(/^ {0,120}\^$/);
        expect(source).not.toMatch(/[\r\n\t]/);
      }),
    );
  });

  test("columns agree with string-width for common scripts", () => {
    const letters = "aé ßжλאقह中文字かなカナ한글ＡＢ｢ｱ。、！😀🚀";
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from(letters)), maxLength: 40 }), (line) => {
        const { caret } = renderFrame(line, line.length + 1)!;
        expect(caret.length - 1).toBe(stringWidth(line.normalize("NFC")));
      }),
    );
  });
});

test("a frame fits a narrower window", () => {
  const { source, caret } = renderFrame("a".repeat(200), 150, 60)!;
  expect(Math.max(source.length, caret.length)).toBeLessThanOrEqual(60);
});
