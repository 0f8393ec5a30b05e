import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeError } from "../../../src/core/index.ts";
import { parseJson } from "../../../src/core/words/json.ts";

const DEEP = 1_000;

function refusal(body: string | Uint8Array, maxDepth = 8) {
  try {
    parseJson(typeof body === "string" ? Buffer.from(body) : body, maxDepth);
  } catch (error) {
    const { status, body: answer } = describeError(error);
    expect({ status, error: answer.error }).toEqual({ status: 400, error: "Invalid payload." });
    return answer;
  }
  throw new Error("accepted");
}

describe("a body", () => {
  test("a JSON body is read as JSON.parse reads it", () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('"__proto__":'));
      expect(parseJson(Buffer.from(text), DEEP)).toEqual(JSON.parse(text));
    });
    fc.assert(property);
  });

  test.each([
    ["no bytes", ""],
    ["an unfinished string", '{"values":{"A":"hunter2'],
    ["a byte order mark", "\uFEFF{}"],
    ["two documents", "{} {}"],
    ["a comment", "{} // hunter2"],
    ["single quotes", "{'values':'hunter2'}"],
    ["a bare word", "hunter2"],
    ["a trailing comma", '{"values":{},}'],
    ["NaN", '{"values":NaN}'],
    ["a raw line break in a string", '{"values":"hunter2\n"}'],
    ["nothing but white space", " \n"],
  ])("a body with %s is refused, and the message does not quote it", (_, body) => {
    expect(JSON.stringify(refusal(body))).not.toContain("hunter2");
  });

  test("a body that is not JSON is refused with the position and the tokens that are accepted there", () => {
    expect(refusal('{"values": {"A" "B"}}').details).toBe("The body is not JSON at position 16. Expected: :.");
    expect(refusal('{"values": {').details).toBe(
      "The body is not JSON at position 12. Expected: a member in double quotes or }.",
    );
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

  test("duplicate members are refused with their paths, also if one is spelled with escapes", () => {
    const { details, issues } = refusal('{"values":{"SVC_A":"x","b":[{"c":1,"c":2}],"SVC\\u005fA":"y"},"values":{}}');
    expect(issues?.map(({ code, path }) => [code, ...path])).toEqual([
      ["INPUT_DUPLICATE_MEMBER", "values", "b", 0, "c"],
      ["INPUT_DUPLICATE_MEMBER", "values", "SVC_A"],
      ["INPUT_DUPLICATE_MEMBER", "values"],
    ]);
    expect(details).toBe(
      "values.b.0.c appears more than once; keep one; values.SVC_A appears more than once; keep one; values appears more than once; keep one",
    );
  });

  test("thousands of duplicate members get a short answer", () => {
    const name = "n".repeat(20_000);
    const body = `{"${name}":{${Array.from({ length: 5_000 }, () => '"a":1').join(",")}}}`;
    expect(JSON.stringify(refusal(body)).length).toBeLessThan(10_000);
  });

  test("a body nested up to the limit is accepted, one level deeper is refused", () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    expect(() => parseJson(Buffer.from(nested(8)), 8)).not.toThrow();
    expect(refusal(nested(9)).details).toBe("The body is nested deeper than 8 levels, at position 40.");
    expect(refusal("[".repeat(30_000)).details).toContain("nested deeper than 8 levels");
    expect(refusal("[".repeat(30_000) + "]".repeat(30_000)).details).toContain("nested deeper than 8 levels");
  });

  test("an unfinished string of the largest size is refused without a stack overflow", () => {
    expect(refusal(`{"a":"${"\\n".repeat(32_000)}`).details).toBe(
      "The body is not JSON at position 5. Expected: a value.",
    );
  });

  test.each([
    ['{"__proto__":{"polluted":true}}', "__proto__"],
    ['{"values":{"A":"x","__proto__":"y"}}', "values.__proto__"],
    ['{"values":[{"\\u005f_proto__":null}]}', "values.0.__proto__"],
    ['{"__proto__":1,"a":1,"a":2}', "__proto__"],
  ])("a member __proto__ is refused at any depth and in any spelling: %s", (body, path) => {
    expect(refusal(body).details).toBe(`The body has a member named __proto__: ${path}. Accepted: any other name.`);
  });

  test("a member named constructor and a text __proto__ are accepted", () => {
    const text = '{"constructor":"__proto__","prototype":{"a":["__proto__"]}}';
    expect(parseJson(Buffer.from(text), 8)).toEqual(JSON.parse(text));
  });
});
