import { expect, test } from "vitest";
import { inputs } from "../../../src/core/api/inputs.ts";

test.each([
  [0, false],
  [1, true],
  [1000, true],
  [1001, false],
])("a service can be scaled to %i processes: %s", (instances, isAccepted) => {
  expect(inputs["process.scale"].safeParse({ name: "api", instances }).success).toBe(isAccepted);
});
