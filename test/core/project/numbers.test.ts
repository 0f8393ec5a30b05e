import { expect, test } from "vitest";
import { readProject } from "../../../src/core/project/read.ts";

test.each([
  ["deploy: { keep: 1 }", "deploy.keep: 1 is not accepted; accepted: an integer from 2 to 50"],
  ["deploy: { keep: 51 }", "deploy.keep: 51 is not accepted; accepted: an integer from 2 to 50"],
  ["logs: { keep: 0 }", "logs.keep: 0 is not accepted; accepted: an integer from 1 to"],
])("%s is refused with its range", (section, message) => {
  const { issues } = readProject(`version: 1\nenvironments: { dev: [] }\n${section}\n`, "svcm.yaml");
  expect(issues.map((issue) => issue.message)).toEqual([expect.stringContaining(message)]);
});
