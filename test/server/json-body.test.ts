import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeError } from "../../src/core/index.ts";
import { parseJsonBody } from "../../src/server/json-body.ts";
import { scanJson } from "../../src/server/json-scan.ts";

const DEEP = 1_000;

function refusal(body: string | Uint8Array, maxDepth = 8) {
  try {
    parseJsonBody(typeof body === "string" ? Buffer.from(body) : body, maxDepth);
  } catch (error) {
    const { status, body: answer } = describeError(error);
    expect({ status, error: answer.error }).toEqual({ status: 400, error: "Invalid payload." });
    return answer;
  }
  throw new Error("accepted");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as people and programs write it: any layout, any escapes, names that collide. */
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

/** The same text with a few characters gone, doubled or replaced: JSON by luck only. */
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

describe("the scanner against JSON.parse", () => {
  test("agrees on what is JSON", () => {
    const property = fc.property(fc.oneof(jsonText, nearlyJson, fc.string(), fc.json()), (text) => {
      expect(scanJson(text, DEEP)?.kind === "syntax").toBe(!isJson(text));
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  test("where it goes wrong, the text before could have gone on", () => {
    const property = fc.property(nearlyJson, (text) => {
      const problem = scanJson(text, DEEP);
      if (problem?.kind !== "syntax") return;
      expect(problem.position).toBeGreaterThanOrEqual(0);
      expect(problem.position).toBeLessThanOrEqual(text.length);
      const before = scanJson(text.slice(0, problem.position), DEEP);
      // What comes before is a whole text, or an unfinished one that goes wrong at its end only.
      if (before?.kind === "syntax") expect(text.slice(before.position, problem.position).trim()).toBe("");
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  test("finds exactly the members that stand twice, by an oracle that builds the text", () => {
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
    fc.assert(property, { numRuns: 1_000 });
  });
});

/** A name with its first character as an escape: the same name to a reader. */
function escaped(name: string): string {
  const code = name.charCodeAt(0).toString(16).padStart(4, "0");
  return name === "" ? '""' : `"\\u${code}${JSON.stringify(name.slice(1)).slice(1)}`;
}

function again(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe("a body", () => {
  test("is what JSON.parse makes of it", () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('"__proto__":'));
      expect(parseJsonBody(Buffer.from(text), DEEP)).toEqual(JSON.parse(text));
    });
    fc.assert(property);
  });

  test.each([
    ["empty", ""],
    ["cut off", '{"values":{"A":"hunter2'],
    ["with a byte order mark", "\uFEFF{}"],
    ["two documents", "{} {}"],
    ["a comment", "{} // hunter2"],
    ["single quotes", "{'values':'hunter2'}"],
    ["a bare word", "hunter2"],
    ["a trailing comma", '{"values":{},}'],
    ["NaN", '{"values":NaN}'],
    ["a raw line break in a string", '{"values":"hunter2\n"}'],
    ["nothing but white space", " \n"],
  ])("%s is refused, and not quoted", (_, body) => {
    expect(JSON.stringify(refusal(body))).not.toContain("hunter2");
  });

  test("the position of the fault is told", () => {
    expect(refusal('{"values": {"A" "B"}}').details).toBe("The body is not JSON: it goes wrong at position 16.");
    expect(refusal('{"values": {').details).toBe("The body is not JSON: it goes wrong at position 12.");
  });

  test.each([
    [[0xff]],
    [[0x22, 0xc3, 0x28, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0xaf, 0x22]],
    [[0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
  ])("bytes %j are not UTF-8", (bytes) => {
    expect(refusal(Uint8Array.from(bytes)).details).toBe("The body is not UTF-8 text.");
  });

  test("duplicates are refused with their path, however the name is spelled", () => {
    const { details, issues } = refusal('{"values":{"SVC_A":"x","b":[{"c":1,"c":2}],"SVC\\u005fA":"y"},"values":{}}');
    expect(issues?.map(({ code, path }) => [code, ...path])).toEqual([
      ["INPUT_DUPLICATE_MEMBER", "values", "b", 0, "c"],
      ["INPUT_DUPLICATE_MEMBER", "values", "SVC_A"],
      ["INPUT_DUPLICATE_MEMBER", "values"],
    ]);
    expect(details).toBe(
      "values.b.0.c: stands more than once; values.SVC_A: stands more than once; values: stands more than once",
    );
  });

  test("thousands of long duplicates make a short answer", () => {
    const name = "n".repeat(20_000);
    const body = `{"${name}":{${Array.from({ length: 5_000 }, () => '"a":1').join(",")}}}`;
    expect(JSON.stringify(refusal(body)).length).toBeLessThan(10_000);
  });

  test("nesting up to the limit is taken, one level more is not", () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    expect(() => parseJsonBody(Buffer.from(nested(8)), 8)).not.toThrow();
    expect(refusal(nested(9)).details).toBe("The body is nested deeper than 8 levels, at position 40.");
    expect(refusal("[".repeat(30_000)).details).toContain("nested deeper than 8 levels");
    expect(refusal("[".repeat(30_000) + "]".repeat(30_000)).details).toContain("nested deeper than 8 levels");
  });

  test("an unfinished string of the largest size is scanned without trouble", () => {
    expect(refusal(`{"a":"${"\\n".repeat(32_000)}`).details).toBe("The body is not JSON: it goes wrong at position 5.");
  });

  test.each([
    ['{"__proto__":{"polluted":true}}', "__proto__"],
    ['{"values":{"A":"x","__proto__":"y"}}', "values.__proto__"],
    ['{"values":[{"\\u005f_proto__":null}]}', "values.0.__proto__"],
    ['{"__proto__":1,"a":1,"a":2}', "__proto__"],
  ])("a member __proto__ is refused, wherever it is and however it is spelled: %s", (body, path) => {
    expect(refusal(body).details).toBe(`The body has a member named __proto__: ${path}. Accepted: any other name.`);
  });

  test("constructor and a text __proto__ are like any other", () => {
    const text = '{"constructor":"__proto__","prototype":{"a":["__proto__"]}}';
    expect(parseJsonBody(Buffer.from(text), 8)).toEqual(JSON.parse(text));
  });
});
