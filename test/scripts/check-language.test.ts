import { expect, test } from "vitest";
import { checkLanguage } from "../../scripts/language/check.ts";

const found = (path: string, source: string): string[] =>
  checkLanguage(path, source).map(({ line, message }) => `${line} ${message}`);

test.each([
  ["a line comment", "const a = 1;\n// What a caller gets.\n", [expect.stringMatching(/^2 .*begins with "What"/)]],
  [
    "a docstring",
    "/**\n * Whether it runs.\n */\nconst a = 1;\n",
    [expect.stringMatching(/^2 .*begins with "Whether"/)],
  ],
  ["a second sentence of a comment", "/** Runs. Who asks waits. */\n", [expect.stringContaining('begins with "Who"')]],
  [
    "a word of the table",
    "// It runs it anew.\n",
    [expect.stringMatching(/^1 "anew" in "It runs it anew\.": write again/)],
  ],
  ["a word for users", "// A person runs it.\n", [expect.stringContaining('"A person"')]],
  ["a word that a line break splits", "// The file is\n// none.\n", [expect.stringContaining('"is none"')]],
  ["a message", 'fail("The file\'s name is no text.");\n', [expect.stringContaining('"is no"')]],
  ["a message with holes", "fail(`${name} tells ${value}.`);\n", [expect.stringContaining('"tells"')]],
  ["text of a component", "const a = <p>Nobody runs it.</p>;\n", [expect.stringContaining('"Nobody"')]],
  ["a part of a name", "const isAsked = 1;\n", ["1 The name isAsked: write request, query or options"]],
  ["a name of a limit", "const MOST_BYTES = 1;\n", ["1 The name MOST_BYTES: write MAX"]],
  ["a long sentence", `// ${"word ".repeat(31)}.\n`, [expect.stringContaining("31 words")]],
])("check:language finds %s", (_, source, messages) => {
  expect(found("src/a.tsx", source)).toEqual(messages);
});

test.each([
  [
    "code that only looks like a comment",
    'const a = "// What is it"; const b = /\\/\\/ What is it/; const c = `/* anew ${b} */`;\n',
  ],
  ["names of code", '// Calls `tell` of the reader "stands".\nconst tells = 1;\n'],
  ["a comment that says why", "// Why: PM2 keeps its list. If it is gone, there is no daemon.\n"],
  ["paths that are imported", 'import a from "./anew a.ts";\n'],
  ["names of other code", "const masked = a.asked(MOST);\n"],
  ["a proper sentence", "/** Returns the value. */\nconst a = 1;\n"],
])("check:language permits %s", (_, source) => {
  expect(found("test/a.ts", source)).toEqual([]);
});

test("check:language permits text of a tagged template, because it is program input", () => {
  expect(found("src/a.ts", "const a = script`it tells ${b} is none`;\n")).toEqual([]);
});

test("check:language reads only the titles of tests, not other code", () => {
  const source = 'describe("what it tells", () => { test.each([1])("is none", () => { f("it tells you"); }); });\n';
  expect(found("test/a.test.ts", source)).toHaveLength(2);
});

test("check:language reads the prose of Markdown, but not its code", () => {
  const source = [
    "# What svcm tells",
    "",
    "Run `tell`. Where it runs,",
    "it stands.",
    "",
    "```sh",
    "tell anew",
    "```",
    "",
    "- Nobody reads [anew](anew.md).",
    "",
    "| one | it is no row |",
  ].join("\n");
  expect(found("docs/a.md", source)).toEqual([
    expect.stringMatching(/^1 "tells"/),
    expect.stringMatching(/^3 .*begins with "Where"/),
    expect.stringMatching(/^3 "stands"/),
    expect.stringMatching(/^10 "anew"/),
    expect.stringMatching(/^10 "Nobody"/),
    expect.stringMatching(/^12 "is no"/),
  ]);
});
