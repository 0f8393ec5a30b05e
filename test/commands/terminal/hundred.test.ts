import { expect, test } from "vitest";
import { failureOf, renderFailure } from "../../../src/commands/terminal/failure.ts";
import { renderIssues } from "../../../src/commands/terminal/issues.ts";
import { withStyles } from "../../../src/commands/terminal/paint.ts";
import { refusal, type Issue } from "../../../src/core/index.ts";

const issues = Array.from({ length: 130 }, (_, index): Issue => ({
  code: "TEST",
  severity: "error",
  path: [index],
  message: `issue ${index}`,
}));

test("people are shown a hundred issues of a refusal, and told how many more there are", () => {
  const lines = renderFailure(failureOf(refusal("SUITE_FILE_FAILED", issues)), false).split("\n");
  expect(lines.filter((line) => line.includes("issue "))).toHaveLength(100);
  expect(lines).toContain("  and 30 more");
});

test("people are shown a hundred issues of a list, and told how many more there are", () => {
  const lines = withStyles(renderIssues(issues), false).split("\n");
  expect(lines.filter((line) => line.includes("issue "))).toHaveLength(100);
  expect(lines.slice(-2)).toEqual(["and 30 more", "130 errors, 0 warnings"]);
});
