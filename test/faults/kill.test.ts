import { expect, test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 8 rounds", async () => {
  expect(await killRounds(8, 1)).toBeGreaterThan(0);
});
