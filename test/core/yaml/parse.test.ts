import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseYaml } from "../../../src/core/yaml/parse.ts";

function issuesOf(text: string): string[] {
  return parseYaml(text, "a.yaml").issues.map(({ code, at }) => `${code} ${at?.line}:${at?.column}`);
}

describe("refusals, each with its place", () => {
  test.each([
    ["an empty file", "", ["YAML_EMPTY 1:1"]],
    ["only a comment", "# nothing\n", ["YAML_EMPTY 1:1"]],
    ["a syntax error", "a: [1\nb: 2\n", ["YAML_SYNTAX 2:1"]],
    ["a duplicate key", "a: 1\nb: 2\na: 3\n", ["YAML_DUPLICATE_KEY 3:1"]],
    ["two documents", "a: 1\n---\nb: 2\n", ["YAML_MULTIPLE_DOCUMENTS 2:1"]],
    ["an undefined alias", "a: *b\n", ["YAML_ALIAS 1:4"]],
    ["a recursive alias", "a: &a\n  b: *a\n", ["YAML_ALIAS 2:6"]],
    ["a merge key", "a: &a { b: 1 }\nc:\n  <<: *a\n", ["YAML_KEY 3:3"]],
    ["__proto__", "__proto__:\n  polluted: true\n", ["YAML_KEY 1:1"]],
    ["an unknown tag", "a: !secret x\n", ["YAML_TAG 1:4"]],
    ["too deep", "[".repeat(20) + "]".repeat(20), ["YAML_DEPTH 1:18"]],
  ])("%s", (_, text, issues) => {
    expect(issuesOf(text)).toEqual(issues);
    expect(parseYaml(text, "a.yaml").value).toBeUndefined();
  });

  test.each([
    ["a: !!float 1\n", "the tag !!float is not supported for this value; accepted: no tag"],
    ["a: !secret x\n", "the tag !secret is not supported for this value; accepted: no tag"],
    ["%YAML 1.3\n---\na: 1\n", "Unsupported YAML version 1.3; accepted: 1.2, or no %YAML line"],
    ["a: 1\n...\nb: 2\n", "contains more than one document; accepted: one"],
  ])("%j says what is accepted", (text, message) => {
    expect(parseYaml(text, "a.yaml").issues.map((issue) => issue.message)).toEqual([message]);
  });

  test("a document end marker is treated as the end of the text", () => {
    expect(parseYaml("a: 1\n...\n", "a.yaml")).toMatchObject({ value: { a: 1 }, issues: [] });
  });

  test("an alias bomb is an issue, not an exhausted machine", () => {
    const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 14; level++)
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(",")}]`,
      );
    expect(parseYaml(lines.join("\n"), "a.yaml").issues.map(({ code }) => code)).toContain("YAML_ALIAS");
  });

  test("an alias bomb of few long texts, or of long keys, is an issue", () => {
    const long = "x".repeat(100_000);
    for (const first of [long, `[${long}]`, `{${long.slice(0, 1000)}: ${long}}`]) {
      expect(issuesOf(`a: &a ${first}\nb: [${"*a,".repeat(9)}]\n`)).toEqual([]);
      expect(issuesOf(`a: &a ${first}\nb:\n${"- *a\n".repeat(50)}`)).toHaveLength(1);
    }
  });
});

describe("the result of the parser", () => {
  test("equals that of the library for ordinary documents", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value, null, 2);
        fc.pre(!text.includes("__proto__") && !text.includes('"<<"'));
        const source = parseYaml(text, "a.json");
        expect(source.issues).toEqual([]);
        expect(source.value).toEqual(parse(text));
      }),
    );
  });

  test("a byte order mark, CRLF, aliases, and YAML 1.2 booleans", () => {
    expect(parseYaml("\uFEFFa: &x [1, yes]\r\nb: *x\r\n", "a.yaml").value).toEqual({ a: [1, "yes"], b: [1, "yes"] });
    expect(parseYaml("%YAML 1.1\n---\na: yes\n", "a.yaml").value).toEqual({ a: "yes" });
  });
});

test("an alias refers to the last preceding anchor with its name, also in a repeated list or map", () => {
  const redefined = parseYaml("a: &x 1\nb: &b [*x]\nc: &x 2\nd: *b\n", "a.yaml");
  expect(redefined.value).toMatchObject({ b: [1], d: [1] });
  const repeated = parseYaml("a: &x { k: &y 1 }\nb: &y 2\nc: *x\nd: *y\n", "a.yaml");
  expect(repeated.value).toMatchObject({ c: { k: 1 }, d: 2 });
  expect(repeated.at(["c", "k"])).toMatchObject({ line: 1, column: 15 });
});

describe("positions", () => {
  const source = parseYaml("a:\n  b:\n    - x\n    - c: 1\n  empty:\n", "a.yaml");
  test.each([
    [["a", "b", 0], "value", 3, 7],
    [["a", "b", 1, "c"], "value", 4, 10],
    [["a", "b", 1, "c"], "key", 4, 7],
    [["a", "empty"], "value", 5, 9],
    [["a", "missing", "deeper"], "value", 2, 3],
    [[], "value", 1, 1],
  ] as const)("%j %s is at %i:%i", (path, part, line, column) => {
    expect(source.at(path, part)).toEqual({ file: "a.yaml", line, column });
  });
});
