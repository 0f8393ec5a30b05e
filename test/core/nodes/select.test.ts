import { expect, test } from "vitest";
import { selectNodes } from "../../../src/core/nodes/select.ts";

const nodes = [
  { name: "db-1", labels: { role: "db", region: "eu" } },
  { name: "web-1", labels: { role: "web", region: "eu" } },
  { name: "web-2", labels: { role: "web", region: "us" } },
];

test.each([
  [["all"], "db-1 web-1 web-2"],
  [["web-2"], "web-2"],
  [["role=web"], "web-1 web-2"],
  // Each of the labels must match.
  [["role=web,region=eu"], "web-1"],
  [["role=web, region=us"], "web-2"],
  [["web-1", "region=eu"], "web-1 db-1"],
  [["role=cache"], "No node matches"],
  [["web-3"], "No node matches"],
  [["role"], "No node matches"],
  [["toString=x"], "No node matches"],
  [["web-1", "web-3"], 'No node matches "web-3"'],
])("the selectors %j mean %s", (selectors, expected) => {
  const found = (() => {
    try {
      return selectNodes(nodes, selectors)
        .map(({ name }) => name)
        .join(" ");
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(found.slice(0, expected.length)).toBe(expected);
});
