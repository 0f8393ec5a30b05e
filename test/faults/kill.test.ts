import { expect, test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 4 rounds", async () => {
  expect(await killRounds(4, 1)).toBeGreaterThan(0);
});
