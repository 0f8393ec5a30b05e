import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson } from "../../../src/core/words/json.ts";
import { longTest, propertyRuns } from "../../support/runs.ts";

const DEEP = 1_000;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with any layout, any escapes and colliding names. */
const jsonText = fc.letrec<{ value: string; object: string; array: string }>((tie) => {
  const space = fc.constantFrom("", " ", "\n", "\t", "\r\n  ");
  const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"__proto__"', '"a\\"b"', '"\\ud83d\\ude00"', '"😀"');
  const scalar = fc.oneof(
    fc.json({ maxDepth: 0 }),
    fc.constantFrom("null", "true", "-0", "1e5", "1E+5", "-1.25e-3", '"\\u2028 {}[],:"', '"\\\\"', '"\\/"'),
  );
  const spaced = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(""));
  return {
    value: fc
      .oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("object"), tie("array"))
      .chain((text) => spaced(fc.constant(text))),
    object: fc
      .array(fc.tuple(spaced(name), tie("value")))
      .map((members) => `{${members.map((pair) => pair.join(":")).join(",")}}`),
    array: fc.array(tie("value")).map((elements) => `[${elements.join(",")}]`),
  };
}).value;

/** The same text with a few characters inserted; it is rarely valid JSON. */
const nearlyJson = fc
  .tuple(
    jsonText,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("", ",", ":", '"', "{", "}", "[", "]", "\\", "0", "e", ".", "-", "\u0001", " "),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [at, character]) => {
      const place = at % (edited.length + 1);
      return edited.slice(0, place) + character + edited.slice(place + 1);
    }, text),
  );

describe("the JSON scanner", () => {
  test("the scanner accepts exactly the texts that JSON.parse accepts", () => {
    const property = fc.property(fc.oneof(jsonText, nearlyJson, fc.string(), fc.json()), (text) => {
      expect(scanJson(text, DEEP)?.kind === "syntax").toBe(!isJson(text));
    });
    fc.assert(property, propertyRuns(1000, 3000));
  });

  longTest("the text before the reported position can be continued to JSON", () => {
    const property = fc.property(nearlyJson, (text) => {
      const problem = scanJson(text, DEEP);
      if (problem?.kind !== "syntax") return;
      expect(problem.position).toBeGreaterThanOrEqual(0);
      expect(problem.position).toBeLessThanOrEqual(text.length);
      const before = scanJson(text.slice(0, problem.position), DEEP);
      // The preceding text is complete, or it is incomplete and fails only at its end.
      if (before?.kind === "syntax") expect(text.slice(before.position, problem.position).trim()).toBe("");
    });
    fc.assert(property, propertyRuns(1000, 3000));
  });

  test("the scanner reports exactly the members that appear twice", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c", "constructor", "", "é", "\u2028"), {
      maxLength: 6,
    });
    const property = fc.property(names, names, (outer, inner) => {
      const members = [
        ...outer.map((name) => [name, "1"]),
        ["nested", `[0,{${inner.map((name) => `${JSON.stringify(name)}:2`).join(",")}}]`],
      ];
      const text = `{${members.map(([name = "", value]) => `${escaped(name)}:${value}`).join(",")}}`;
      const expected = [...again(outer), ...again(inner).map((name) => ["nested", 1, name])].map((path) =>
        [path].flat(),
      );
      const problem = scanJson(text, DEEP);
      expect(problem).toEqual(expected.length === 0 ? undefined : { kind: "duplicates", paths: expected });
    });
    fc.assert(property, propertyRuns(500, 1000));
  });
});

function escaped(name: string): string {
  const code = name.charCodeAt(0).toString(16).padStart(4, "0");
  return name === "" ? '""' : `"\\u${code}${JSON.stringify(name.slice(1)).slice(1)}`;
}

function again(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
