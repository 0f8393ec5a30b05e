import { expect, test } from "vitest";
import { pluralize } from "../../../src/core/words/text.ts";

test("a count of one has no plural", () => {
  expect([pluralize(0, "core"), pluralize(1, "core"), pluralize(2, "process", "processes")]).toEqual([
    "0 cores",
    "1 core",
    "2 processes",
  ]);
});
