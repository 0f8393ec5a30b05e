import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEnvDocument, valuesOf } from "../../../src/core/env/document.ts";
import { UnwritableValue } from "../../../src/core/env/edit.ts";
import { effectiveValue, parseLayers, planRemoval, removalIssues } from "../../../src/core/env/plan.ts";
import { packagedRuntimeContract } from "../../../src/core/index.ts";
import { envText, hostileText, keyName } from "./env-arbitraries.ts";
import { propertyRuns } from "../../support/runs.ts";

const without = (text: string, ...keys: string[]): string => planRemoval(packagedRuntimeContract, text, keys).text;

test.each([
  ["a line between others", "A=1\n# note\nKEY=x # why\nB=2\n", "A=1\n# note\nB=2\n"],
  ["the last line, without a line break", "A=1\nKEY=x", "A=1\n"],
  ["the only line", "KEY=x\n", ""],
  ["every line that assigns the key", "KEY=1\nA=1\n  export KEY = 'a b'\nKEY: c\n", "A=1\n"],
  ["a value of several lines", 'A=1\nKEY="a\nb\nc"\nB=2\n', "A=1\nB=2\n"],
  ["a line of a file with CRLF", "A=1\r\nKEY=x\r\nB=2\r\n", "A=1\r\nB=2\r\n"],
  ["a line after a lone carriage return", "A=1\rKEY=x\rB=2\r", "A=1\rB=2\r"],
  ["the first line, after a byte order mark", "\uFEFFKEY=x\nA=1\n", "\uFEFFA=1\n"],
])("removing %s keeps every other byte", (_, text, expected) => {
  expect(without(text, "KEY")).toBe(expected);
});

test("a comment that looks like the key stays", () => {
  expect(without("# KEY=old\nKEY=new\n#KEY\n", "KEY")).toBe("# KEY=old\n#KEY\n");
});

test("removing keys that no line assigns changes nothing", () => {
  const plan = planRemoval(packagedRuntimeContract, "A=1\n", ["B", "C"]);
  expect([plan.text, plan.changedKeys, plan.changes]).toEqual(["A=1\n", [], []]);
});

test("the dry run shows the lines that would be removed, without credentials", () => {
  const line = "SVC_WEBSOCKET_REDIS_URL=redis://u:canary@h:1";
  const { changes } = planRemoval(packagedRuntimeContract, `A=1\n${line}\n`, ["SVC_WEBSOCKET_REDIS_URL"]);
  expect(changes).toMatchObject([{ line: 2, after: [] }]);
  expect(JSON.stringify(changes)).not.toContain("canary");
});

test.each([
  ["an ordinary file", envText, propertyRuns(500, 5000)],
  ["a hostile file", hostileText, propertyRuns(1500, 20_000)],
])("in %s, the other keys read as before, and a second removal changes nothing", (_, texts, often) => {
  fc.assert(
    fc.property(texts, keyName, (text, other) => {
      const key = [...valuesOf(parseEnvDocument(text)).keys()].at(-1) ?? other;
      const next = attempt(text, key);
      if (next === undefined) return;
      const expected = valuesOf(parseEnvDocument(text));
      expected.delete(key);
      expect(valuesOf(parseEnvDocument(next))).toEqual(expected);
      expect(attempt(next, key)).toBe(next);
    }),
    often,
  );
});

/** In some hostile files another line would change its meaning, and the removal is refused. */
function attempt(text: string, key: string): string | undefined {
  try {
    return without(text, key);
  } catch (error) {
    expect(error).toBeInstanceOf(UnwritableValue);
    return undefined;
  }
}

const REQUIRED = Object.entries(packagedRuntimeContract.keys).find(
  ([, spec]) => spec.tier === "editable" && "required" in spec && spec.required === true,
)![0];

test.each<[string, string, Record<string, string>, string[]]>([
  ["a required key", REQUIRED, {}, ["ENV_KEY_MISSING"]],
  ["a required key that another layer has", REQUIRED, { [REQUIRED]: "x" }, []],
  ["a key of another tier", "SVC_WEBSOCKET_CLUSTER_WORKERS", {}, ["ENV_KEY_NOT_EDITABLE"]],
  ["a key that may be absent", "SVC_WEBSOCKET_REDIS_URL", {}, []],
])("may %s be removed?", (_what, key, others, codes) => {
  const issues = removalIssues(packagedRuntimeContract, [key], new Map(Object.entries(others)));
  expect(issues.map(({ code }) => code)).toEqual(codes);
});

test.each<[string[], object]>([
  [["KEY", ""], { value: "fastify", from: "file", fileName: ".env.0" }],
  [["KEY", "KEY"], { from: "file", fileName: ".env.1" }],
  [["", ""], { from: "default" }],
])("a key in the layers %j has the value of the last of them", (layers, expected) => {
  const key = "SVC_HTTP_FRAMEWORK";
  const files = layers.map((text, at) => {
    const content = text === "" ? "OTHER=1\n" : `${key}=${["fastify", "restify"][at]}\n`;
    return { fileName: `.env.${at}`, path: `/srv/.env.${at}`, bytes: new Uint8Array(), text: content };
  });
  expect(effectiveValue(packagedRuntimeContract, parseLayers(files), key)).toMatchObject(expected);
});

test("a key without a default, which no layer has, comes from nowhere", () => {
  const key = "SVC_WEBSOCKET_REDIS_URL";
  expect(effectiveValue(packagedRuntimeContract, [], key)).toEqual({ key, value: "", from: "nowhere" });
});
