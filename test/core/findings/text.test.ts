import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/core/api/issue.ts";
import { renderText } from "../../../src/core/findings/text.ts";
import { anyReport, at, CLEAN, issue, PLAIN, SAMPLE, TAGS } from "./sample.ts";

describe("renderText", () => {
  test("the complete sample", async () => {
    await expect(renderText(SAMPLE, PLAIN)).toMatchFileSnapshot("../../fixtures/report/text.txt");
  });

  test("the coloured parts", async () => {
    await expect(renderText(SAMPLE, TAGS)).toMatchFileSnapshot("../../fixtures/report/text.painted.txt");
  });

  test("no findings", () => {
    expect(renderText(CLEAN, TAGS)).toBe("<green>0 errors, 0 warnings.</green>");
  });

  test("prints findings up to the limit and counts all of them", () => {
    const issues = Array.from({ length: 250 }, (_, index) =>
      issue({ message: `number ${index}`, severity: index === 0 ? "error" : "warning", at: undefined }),
    );
    const text = renderText({ ...SAMPLE, issues }, PLAIN);
    expect(text.match(/number/g)).toHaveLength(100);
    expect(text).toMatch(/^1 error, 249 warnings\.\n[\s\S]*number 99 .*\n\nand 150 more$/);
  });

  test("no secret of the source is shown", () => {
    for (let column = 1; column < 60; column++) {
      const text = renderText({ ...SAMPLE, issues: [issue({ at: at(8, column) })] }, PLAIN);
      expect(text).toContain("redis://[REDACTED]@cache.local");
      expect(text).not.toMatch(/hunter2|admin/);
    }
  });

  test("a byte order mark and CRLF do not count as columns", () => {
    const report = { ...SAMPLE, text: "\uFEFFversion: x\r\na: y\r\n", issues: [issue({ at: at(1, 10) })] };
    expect(renderText(report, PLAIN).split("\n").slice(3, 5)).toEqual(["  1 | version: x", "    |          ^"]);
  });

  test("a position outside the text has no frame", () => {
    expect(renderText({ ...SAMPLE, issues: [issue({ at: at(999, 1) })] }, PLAIN).split("\n")).toHaveLength(3);
  });

  test("any text: does not throw, and no output controls a terminal", () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const text = renderText(
          { ...report, issues: report.issues.map((found) => ({ ...found, code: "C" as Issue["code"] })) },
          PLAIN,
        );
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});
