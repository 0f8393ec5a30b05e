import { expect, test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 200 rounds", { timeout: 1_200_000 }, async () => {
  expect(await killRounds(200, 2)).toBeGreaterThan(0);
});
