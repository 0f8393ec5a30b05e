import { expect, test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 20 rounds", async () => {
  expect(await killRounds(20, 1)).toBeGreaterThan(0);
});
