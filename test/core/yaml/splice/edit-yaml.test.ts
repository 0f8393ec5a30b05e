import { expect, test } from "vitest";
import { addAndRemoveIsNothing, everyEditIsExact } from "./edit-properties.ts";
import { longTest, propertyRuns } from "../../../support/runs.ts";

longTest("an edit changes only the requested data and lines", () => {
  const { made, refused } = everyEditIsExact(300);
  expect(refused / (made + refused)).toBeLessThan(0.05);
});

test("adding an entry and removing it restores the bytes", () => {
  const { made, refused } = addAndRemoveIsNothing(propertyRuns(60, 150).numRuns);
  expect(refused / (made + refused)).toBeLessThan(0.05);
});
