import { expect, test } from "vitest";
import { compareMutants } from "./agreement.ts";
import { realDocuments } from "../mutate.ts";

const ROUNDS = 25;
const COUNT = 20_000;

test("the scan agrees with the parser on half a million mutated documents", () => {
  const seed = Date.now() % 2 ** 31;
  const documents = realDocuments();
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) accepted += compareMutants(documents, COUNT, seed + round);
  console.log(`${ROUNDS * COUNT} texts tried from seed ${seed}, ${accepted} accepted`);
  expect(accepted).toBeGreaterThan(ROUNDS * 1000);
});
