import { describe, expect, test } from "vitest";
import { suggest } from "../../../src/core/words/suggest.ts";

describe("a suggestion", () => {
  test.each([
    ["a slip in one letter of three", "vn", ["vm1", "vm"], "vm"],
    ["the nearest of several", "restify-js", ["restify", "derby-js", "sails-js"], "restify"],
    ["two letters in the wrong order, as one slip", "ot", ["to"], "to"],
    ["the value without its suffix", "derby", ["total-js", "derby-js"], "derby-js"],
    ["no value if two match without their suffixes", "rest", ["rest-api", "rest-cluster"], undefined],
    ["a third of the letters", "expXXs", ["expres"], "expres"],
    ["nothing beyond a third of the letters", "exXXXs", ["expres"], undefined],
    ["nothing for another word", "heroku", ["lambda", "vm"], undefined],
  ])("is %s", (_, given, accepted, expected) => {
    expect(suggest(given, accepted)).toBe(expected);
  });
});
