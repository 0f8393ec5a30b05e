import { expect, test } from "vitest";
import { counted } from "../../../src/core/words/counted.ts";

test("a count of one has no plural", () => {
  expect([counted(0, "core"), counted(1, "core"), counted(2, "process", "processes")]).toEqual([
    "0 cores",
    "1 core",
    "2 processes",
  ]);
});
