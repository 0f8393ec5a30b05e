import { expect, test } from "vitest";
import { canonicalArguments, canonicalValue } from "../../../src/core/pm2/normalise.ts";

test("the canonical value of a variable is the text that the process receives", () => {
  expect([5, true, "5", { a: 1 }, null].map(canonicalValue)).toEqual(["5", "true", "5", '{"a":1}', "null"]);
});

test("arguments as one text equal the list that PM2 makes of it", () => {
  expect(canonicalArguments(`--port 80 --name "two words" --x='a b' 'c d'`)).toBe(
    canonicalArguments(["--port", "80", "--name", "two words", "--x='a b'", "c d"]),
  );
  expect(canonicalArguments(undefined)).toBe(canonicalArguments([]));
  expect(canonicalArguments("")).toBe(canonicalArguments([]));
  expect(canonicalArguments(["a b"])).not.toBe(canonicalArguments("a b"));
  expect(canonicalArguments(["1"])).toBe(canonicalArguments([1]));
});
