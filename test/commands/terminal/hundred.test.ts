import { expect, test } from "vitest";
import { toFailure, renderFailure } from "../../../src/commands/terminal/failure.ts";
import { renderIssues } from "../../../src/commands/terminal/validation.ts";
import { withStyles } from "../../../src/commands/terminal/screen.ts";
import { UsageError } from "../../../src/commands/terminal/errors.ts";
import { refusal, type Issue } from "../../../src/core/index.ts";

const issues = Array.from({ length: 130 }, (_, index): Issue => ({
  code: "EIO",
  severity: "error",
  path: [index],
  message: `issue ${index}`,
}));

test("a refusal shows its first hundred issues, and how many more there are", () => {
  const lines = renderFailure(toFailure(refusal("SUITE_FILE_FAILED", issues)), false, { colours: 0 }).split("\n");
  expect(lines.filter((line) => line.includes("issue "))).toHaveLength(100);
  expect(lines).toContain("  and 30 more");
});

test("a check shows its first hundred issues, and how many more there are", () => {
  const lines = withStyles(renderIssues(issues, { colours: 0 }), false).split("\n");
  expect(lines.filter((line) => line.includes("issue "))).toHaveLength(100);
  expect([lines[0], ...lines.slice(-2)]).toEqual(["130 errors, 0 warnings.", "and 30 more", "Next: svcm explain EIO"]);
});

test("a check is folded at the width of the window", () => {
  const lines = withStyles(renderIssues(issues.slice(0, 1), { colours: 0, width: 20 }), false).split("\n");
  expect(lines.slice(0, 2)).toEqual(["1 error, 0 warnings.", "error issue 0 EIO"]);
  const [long] = issues.map((issue) => ({ ...issue, message: "a message that is long" }));
  expect(withStyles(renderIssues([long!], { colours: 0, width: 20 }), false)).toContain(
    "error a message that\nis long EIO\n",
  );
});

test("a refusal is folded at the width of the window", () => {
  const failure = toFailure(new UsageError("Nothing to set: no KEY=VALUE was given."));
  const text = withStyles(renderFailure(failure, false, { colours: 0, width: 30 }), false);
  expect(text).toMatch(/^Error: Nothing to set: no\nKEY=VALUE was given\.\n/);
});
