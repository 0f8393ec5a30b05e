import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { parseYaml } from "../../../src/core/yaml/parse.ts";
import { writeYaml } from "../../../src/core/yaml/write.ts";
import { propertyRuns } from "../../support/runs.ts";

const words = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "yes",
    "no",
    "null",
    "True",
    ".inf",
    ".NaN",
    "~",
    "1.10",
    "0x1f",
    "2026-11-21",
    "12:30",
    "- a",
    "a: b",
    "a #b",
    "#",
    "&a",
    "*a",
    "!t",
    "<<",
    "---",
  ),
  fc.constantFrom(" a", "a ", "", "a\nb", "\u2028", "\u0085", "\uFEFFa", "'", '"', "\\", "MS SQL", "eu (copy 2)"),
);
const { tree: trees } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(
      words.filter((key) => key !== "__proto__" && key !== "<<"),
      tie("tree"),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
}));

test("YAML 1.2 and YAML 1.1 read every written value back without a warning", () => {
  fc.assert(
    fc.property(trees, (value) => {
      const text = writeYaml(value);
      const source = parseYaml(text, "a.yaml");
      expect(source.issues).toEqual([]);
      expect(source.value).toEqual(value);
      expect(parse(text, { version: "1.1" })).toEqual(value);
    }),
    propertyRuns(500, 2000),
  );
});

test("a document is written in the usual style and read back equal", () => {
  const document = {
    version: "service-management.v1",
    serviceConfiguration: { serviceKind: "rest-api", ports: { rest: 3000 } },
    interfaces: [],
    deployments: [{ name: "eu (copy)", runtime: "node22", serviceType: "websocket+restapi", region: "on" }],
  };
  const text = writeYaml(document);
  expect(text).toBe(`version: service-management.v1
serviceConfiguration:
  serviceKind: rest-api
  ports:
    rest: 3000
interfaces: []
deployments:
  - name: eu (copy)
    runtime: node22
    serviceType: websocket+restapi
    region: "on"
`);
  expect(parseYaml(text, "a.yaml").value).toEqual(document);
});

test("the repository's own document is written and read back equal", () => {
  const own = parseYaml(readFileSync(join(import.meta.dirname, "../../../deployments.yaml"), "utf8"), "a.yaml").value;
  expect(parseYaml(writeYaml(own), "a.yaml").value).toEqual(own);
});
