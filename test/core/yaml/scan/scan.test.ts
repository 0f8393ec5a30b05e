import fc from "fast-check";
import { expect, test } from "vitest";
import { scanYaml } from "../../../../src/core/yaml/scan/scan.ts";
import { compareMutants, disagreements } from "./agreement.ts";
import { realDocuments } from "../mutate.ts";
import { propertyRuns } from "../../../support/runs.ts";

/** Typical documents, which the scan reads with the same result as the parser. */
test.each([
  ["block maps and lists", "a:\n  b: 1\n  c:\n  - x\n  -   - y2\n      - z\n# c\nd: 'it''s' # c\n"],
  ["empty values", "a:\nb: # c\nc:\n  -\n  - \n  - d:\n"],
  ["numbers", "[0, -0, +1, 017, 0o17, 0x1F, 1., .5, -1.50, 1e3, .inf, -.INF, .nan, 1.2.3, 90071992547409931]"],
  ["words", "[null, Null, ~, true, FALSE, nULL, truE, none, ye]"],
  ["JSON", '{\n  "a": [1, {"b": "\\u00e9\\n\\/"}],\n  "c": {}, "d": []\n}'],
  ["a byte order mark and CRLF", "\uFEFFa: 1\r\nb:\r\n  - c\r\n\r\n# d\r\n"],
  ["a marker of the start", "# c\n---\na: 1\n"],
  ["flow within block, the end of the file within a line", "a: { b: [c d, 'e'], f: \"g\" } # h\ni: [ ]"],
  ["text that looks like more", "a: b:c d#e - f, [g] {h} 'i' \"j\" &k *l !m | > % @ `n`"],
  ["keys", "a-b.c/d@e+f: 1\n$: 2\n12: 3\n'q r': 4\n\"s:\": 5\nyes: 6\n"],
  ["a wide map", Array.from({ length: 100 }, (_, index) => `k${index}: ${index}\n`).join("")],
])("the YAML scanner reads %s", (_, text) => {
  expect(disagreements(text)).toEqual([]);
});

test("the YAML scanner reads this repository's documents", () => {
  const [deployments = "", good = ""] = realDocuments();
  expect([deployments, good].map(disagreements)).toEqual([[], []]);
});

test.each([
  ["nothing", ""],
  ["a scalar", "a\n"],
  ["a tab", "a:\tb\n"],
  ["a duplicate key", "a: 1\na: 2\n"],
  ["a duplicate key in JSON", '{"a": 1, "a": 2}'],
  ["__proto__", "__proto__: 1\n"],
  ["a merge key", "a:\n  <<: 1\n"],
  ["a boolean of YAML 1.1", "a: yes\n"],
  ["an anchor", "a: &b c\n"],
  ["an alias", "a: *b\n"],
  ["a tag", "a: !b c\n"],
  ["a block scalar", "a: |\n  b\n"],
  ["a text of two lines", "a: b\n  c\n"],
  ["a quoted text of two lines", 'a: "b\n  c"\n'],
  ["a dedent to nowhere", "a:\n    b: 1\n  c: 2\n"],
  ["a second document", "a: 1\n---\nb: 2\n"],
  ["a directive", "%YAML 1.2\n---\na: 1\n"],
  ["a marker that is indented", "  ---\n  - x\n"],
  ["an end marker", "a: 1\n...\n"],
  ["a key within a value", "a: b: c\n"],
  ["a lone carriage return", "a: 1\rb: 2\n"],
  ["seventeen levels", "[".repeat(17) + "]".repeat(17)],
  ["an open bracket", "a: [1\n"],
  ["a comma too many", '{"a": 1,}'],
  ["a key of more than 1000 characters", `${"k".repeat(1001)}: 1\n`],
  ["the end of the document in a list", '{\n  "a": [\n    1,\n...  ]\n}'],
])("the YAML scanner declines %s", (_, text) => {
  expect(scanYaml(text, "a.yaml")).toBeUndefined();
});

test("the YAML scanner reads any JSON without refused keys", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify([value], null, indent);
      fc.pre(!text.includes("__proto__") && !text.includes('"<<"'));
      const found = disagreements(text);
      expect(found ?? []).toEqual([]);
    }),
  );
});

test("the YAML scanner agrees with the parser on every mutated document that it reads", () => {
  const { numRuns } = propertyRuns(2000, 8000);
  expect(compareMutants(realDocuments(), numRuns, 1)).toBeGreaterThan(numRuns / 20);
});
