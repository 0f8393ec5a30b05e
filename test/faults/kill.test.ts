import { test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

test("a writer that is killed at any moment: 20 rounds", async () => {
  await killRounds(20, 1);
});
