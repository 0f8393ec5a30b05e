import { test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 200 rounds", { timeout: 1_200_000 }, async () => {
  await killRounds(200, 2);
});
