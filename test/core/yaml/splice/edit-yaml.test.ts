import { expect, test } from "vitest";
import { editYaml } from "../../../../src/core/yaml/splice/edit-yaml.ts";
import { parseYaml } from "../../../../src/core/yaml/parse.ts";
import { addAndRemoveIsNothing, everyEditIsExact } from "./edit-properties.ts";
import { longTest, propertyRuns } from "../../../support/runs.ts";

longTest("an edit changes only the requested data and lines", () => {
  const { made, refused } = everyEditIsExact(300);
  expect(refused / (made + refused)).toBeLessThan(0.05);
});

test("adding an entry and removing it restores the bytes", () => {
  const { made, refused } = addAndRemoveIsNothing(propertyRuns(60, 150).numRuns);
  expect(refused / (made + refused)).toBeLessThan(0.05);
});

test.each([
  ["# ours\ndeployments: []\nconfiguration: {}\n", '# ours\nversion: "1"\ndeployments: []\nconfiguration: {}\n'],
  ["a: 1\r\nb: 2\r\n", 'version: "1"\r\na: 1\r\nb: 2\r\n'],
  ["{ a: 1, b: 2 }\n", '{ version: "1", a: 1, b: 2 }\n'],
])("a member is written before the first one of %j", (text, expected) => {
  const document = { text, isJson: false, value: parseYaml(text, "").value };
  expect(editYaml(document, [{ kind: "prepend", path: ["version"], value: "1" }]).text).toBe(expected);
});
