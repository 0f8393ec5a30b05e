import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import dotenv from "dotenv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEncrypted, parseEnvDocument, valuesOf, type EnvDocument } from "../../../src/core/env/document.ts";
import { unportableLines } from "../../../src/core/env/portable.ts";
import { envText, hostileText } from "./env-arbitraries.ts";
import { propertyRuns } from "../../support/runs.ts";

const configFolder = new URL("../../../apps/backend-template/src/config/", import.meta.url);

describe("reading", () => {
  test("agrees with dotenv on every text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(Object.fromEntries(valuesOf(parseEnvDocument(text)))).toEqual(dotenv.parse(text));
      }),
      propertyRuns(2000, 20_000),
    );
  });

  test("agrees with node --env-file on ordinary files", () => {
    fc.assert(
      fc.property(envText, (text) => {
        expect(Object.fromEntries(valuesOf(parseEnvDocument(text)))).toEqual({ ...parseEnv(text) });
      }),
      propertyRuns(1000, 5000),
    );
  });

  test("names each line where this Node's --env-file reads a different value", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const document = parseEnvDocument(text);
        if (unportableLines(document).length > 0) return;
        const byNode = parseEnv(text);
        for (const [key, value] of valuesOf(document)) expect(byNode[key]).toBe(value);
      }),
      propertyRuns(2000, 50_000),
    );
  });

  test.each([
    ["A=1 # note", { A: "1" }],
    ["A='1 # kept'", { A: "1 # kept" }],
    ['A="1\\n2"', { A: "1\n2" }],
    ["A='1\\n2'", { A: "1\\n2" }],
    ["A=`it's`", { A: "it's" }],
    ["export A=1", { A: "1" }],
    ["A=1\nA=2", { A: "2" }],
    ["A='1\r\n2'", { A: "1\n2" }],
    ["\uFEFFA=1", { A: "1" }],
    ["A=", { A: "" }],
    ["A", {}],
    ["", {}],
  ])("%j reads %j", (text, values) => {
    expect(Object.fromEntries(valuesOf(parseEnvDocument(text)))).toEqual(values);
  });

  test.each([".env.dev", ".env.staging", ".env.ci"])("%s of this repository reads alike everywhere", (name) => {
    const text = readFileSync(new URL(name, configFolder), "utf8");
    const document = parseEnvDocument(text);
    expect(unportableLines(document)).toEqual([]);
    expect(Object.fromEntries(valuesOf(document))).toEqual({ ...parseEnv(text) });
  });
});

function partsOf({ text, entries, comments, strays }: EnvDocument): string[] {
  const starts = [...entries, ...comments, ...strays].map(({ start }) => start).toSorted((a, b) => a - b);
  const cuts = [...new Set([0, ...starts, text.length])];
  return cuts.slice(0, -1).map((cut, index) => text.slice(cut, cuts[index + 1]));
}

describe("positions", () => {
  test("printing a parsed text returns the same text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(partsOf(parseEnvDocument(text)).join("")).toBe(text);
      }),
      propertyRuns(2000, 20_000),
    );
  });

  test("the range of a value is inside its entry and has no white space at its ends", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const { start, valueStart, valueEnd, end } of parseEnvDocument(text).entries) {
          expect([start, valueStart, valueEnd, end]).toEqual(
            [start, valueStart, valueEnd, end].toSorted((a, b) => a - b),
          );
          expect(text.slice(valueStart, valueEnd).trim()).toBe(text.slice(valueStart, valueEnd));
        }
      }),
      propertyRuns(2000, 20_000),
    );
  });

  test("lines are counted correctly with CRLF and quoted line breaks", () => {
    const { entries } = parseEnvDocument("A=1\r\n\r\nB='x\r\ny'\r\nC=3");
    expect(entries.map(({ key, line }) => [key, line])).toEqual([
      ["A", 1],
      ["B", 3],
      ["C", 5],
    ]);
  });

  test("an unclosed quote over a megabyte is an ordinary value", () => {
    const text = `A='${"x".repeat(1_000_000)}\nB=1\n`;
    expect(parseEnvDocument(text).entries.map(({ key, value }) => [key, value.length])).toEqual([
      ["A", 1_000_001],
      ["B", 1],
    ]);
  });

  test("a large file of blank and open-quoted lines is read completely", () => {
    const text = "\n".repeat(400_000) + "A='\n".repeat(100_000) + "   \n".repeat(100_000);
    expect(parseEnvDocument(text).entries).toHaveLength(50_000);
    expect(isEncrypted(text)).toBe(false);
  });
});
