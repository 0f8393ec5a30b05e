import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureResponse, toJson } from "../../src/server/response.ts";

describe("JSON of answers", () => {
  test("JSON of answers has the same value and contains no markup character or line separator", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("<", ">", "&", "\u2028", "\u2029", '"', "\\", "a", "</script>", "<!--"),
    });
    const property = fc.property(fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))), (value) => {
      const text = toJson(value);
      expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    });
    fc.assert(property);
  });

  test("escapes as Unicode", () => {
    expect(toJson({ a: "<b>&\u2028\u2029" })).toBe(String.raw`{"a":"\u003cb\u003e\u0026\u2028\u2029"}`);
  });
});

test.each([new Error("a secret"), new TypeError("a secret"), "a secret", undefined, { secret: "a secret" }])(
  "a defect does not show its cause: %j",
  (thrown) => {
    const { status, text } = failureResponse(thrown);
    expect(status).toBe(500);
    expect(text).toBe('{"error":"Internal error.","code":"DEFECT","details":"This is a defect in svcm."}');
  },
);

test.each(["EMFILE", "ENFILE"])("the limit of open files is not called a defect: %s", (code) => {
  const { status, text } = failureResponse(Object.assign(new Error("open '/a/secret'"), { code }));
  expect([status, JSON.parse(text)]).toEqual([
    503,
    {
      error: "Service busy.",
      code: "EMFILE",
      details: "svcm cannot open another file or socket: as many are open as the system permits.",
    },
  ]);
});
