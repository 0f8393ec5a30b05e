import { parseEnv } from "node:util";
import dotenv from "dotenv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEnvDocument, valuesOf } from "../../../src/core/env/document.ts";
import { unportableLines } from "../../../src/core/env/portable.ts";
import { envText, hostileText } from "./env-arbitraries.ts";

/** An ordinary file followed by an unusual line. */
const texts = fc.oneof(
  hostileText,
  fc.tuple(envText, hostileText).map((parts) => parts.join("")),
);
const RUNS = { numRuns: 1_500_000 };

test("reads as dotenv does", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(Object.fromEntries(valuesOf(parseEnvDocument(text)))).toEqual(dotenv.parse(text));
    }),
    RUNS,
  );
});

test("reads as this Node's --env-file does, wherever it does not report the line", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const document = parseEnvDocument(text);
      if (unportableLines(document).length > 0) return;
      const byNode = parseEnv(text);
      for (const [key, value] of valuesOf(document)) expect(byNode[key]).toBe(value);
    }),
    RUNS,
  );
});
