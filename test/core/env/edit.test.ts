import { parseEnv } from "node:util";
import dotenv from "dotenv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveEntry, parseEnvDocument, unportableLines, valuesOf } from "../../../src/core/env/document.ts";
import { changedLines, setValue, UnwritableValue } from "../../../src/core/env/edit.ts";
import { envText, hostileText, keyName } from "./env-arbitraries.ts";

/** Values with everything that needs quoting, without line breaks and control characters. */
const value = fc.stringMatching(/^[A-Za-z0-9 #'"`$=:/\\@?&;é-]{0,12}$/);

function attemptSet(text: string, key: string, to: string): string | undefined {
  try {
    return setValue(text, key, to);
  } catch (error) {
    expect(error).toBeInstanceOf(UnwritableValue);
    return undefined;
  }
}

describe("setting a value", () => {
  test("gives it back to our reader, to dotenv and to node --env-file", () => {
    let written = 0;
    fc.assert(
      fc.property(envText, keyName, value, (text, key, to) => {
        const next = attemptSet(text, key, to);
        if (next === undefined) return;
        written++;
        expect(effectiveEntry(parseEnvDocument(next), key)?.value ?? "").toBe(to);
        expect(dotenv.parse(next)[key] ?? "").toBe(to);
        const isPortable = unportableLines(parseEnvDocument(next)).length === 0;
        if (isPortable) expect(parseEnv(next)[key] ?? "").toBe(to);
      }),
      { numRuns: 10_000 },
    );
    expect(written).toBeGreaterThan(8000);
  });

  test("leaves every other byte of a hostile file", () => {
    fc.assert(
      fc.property(hostileText, keyName, value, (text, key, to) => {
        const next = attemptSet(text, key, to);
        if (next === undefined || next === text) return;
        const change = longestChange(text, next);
        const held = effectiveEntry(parseEnvDocument(text), key);
        if (held) {
          expect(change.start).toBeGreaterThanOrEqual(held.valueStart);
          expect(change.end).toBeLessThanOrEqual(held.valueEnd);
        } else {
          const lines = text.slice(change.start, change.end).split(/\r\n|\r|\n/);
          expect(lines).toHaveLength(1);
        }
        for (const [name, before] of valuesOf(parseEnvDocument(text))) {
          if (name !== key) expect(valuesOf(parseEnvDocument(next)).get(name)).toBe(before);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  test("twice is once", () => {
    fc.assert(
      fc.property(hostileText, keyName, value, (text, key, to) => {
        const once = attemptSet(text, key, to);
        if (once !== undefined) expect(setValue(once, key, to)).toBe(once);
      }),
      { numRuns: 10_000 },
    );
  });

  test.each([
    {
      name: "changes the value only, spacing and note stay",
      text: "A = 1  # note\n",
      to: "2",
      next: "A = 2  # note\n",
    },
    { name: "keeps export", text: "export A=1\n", to: "2", next: "export A=2\n" },
    { name: "keeps CRLF", text: "A=1\r\nB=2\r\n", to: "3", next: "A=3\r\nB=2\r\n" },
    { name: "keeps a byte order mark", text: "\uFEFFA=1\n", to: "2", next: "\uFEFFA=2\n" },
    { name: "keeps a missing final line break", text: "A=1", to: "2", next: "A=2" },
    { name: "changes the last, effective, line of several", text: "A=1\nA=2\n", to: "3", next: "A=1\nA=3\n" },
    { name: "drops the quotes that the new value does not need", text: "A='x y'\n", to: "z", next: "A=z\n" },
    {
      name: "quotes nothing where bare nothing would swallow the next line",
      text: "A = 1\nB=2\n",
      to: "",
      next: "A = ''\nB=2\n",
    },
    { name: "empties a value", text: "A=1\nB=2\n", to: "", next: "A=\nB=2\n" },
    { name: "empties an exported value", text: "export A=1\n", to: "", next: "export A=''\n" },
    { name: "fills an empty value", text: "A=\nB=1\n", to: "2", next: "A=2\nB=1\n" },
    { name: "uncomments in place", text: "# A=1\nB=2\n", to: "3", next: "A=3\nB=2\n" },
    { name: "uncomments an empty one", text: "#A=\n", to: "3", next: "A=3\n" },
    {
      name: "uncomments the last of several and keeps its note",
      text: "# A=1\n# A=2 # note\n",
      to: "3",
      next: "# A=1\nA=3 # note\n",
    },
    { name: "uncomments behind a byte order mark", text: "\uFEFF# A=1\n", to: "3", next: "\uFEFFA=3\n" },
    { name: "leaves prose alone", text: "# A=yes enables it\n", to: "3", next: "# A=yes enables it\nA=3\n" },
    { name: "an assignment comes before a comment", text: "A=1\n# A=2\n", to: "3", next: "A=3\n# A=2\n" },
    { name: "appends", text: "B=1\n", to: "2", next: "B=1\nA=2\n" },
    { name: "appends with the file's line break", text: "B=1\r\n", to: "2", next: "B=1\r\nA=2\r\n" },
    { name: "appends where the final line break is missing", text: "B=1", to: "2", next: "B=1\nA=2" },
    { name: "appends to an empty file", text: "", to: "2", next: "A=2\n" },
    { name: "setting an absent key to nothing changes nothing", text: "B=1\n", to: "", next: "B=1\n" },
    { name: "quotes white space", text: "A=1\n", to: "MS SQL", next: "A='MS SQL'\n" },
    { name: "quotes a hash", text: "A=1\n", to: "a#b", next: "A='a#b'\n" },
    { name: "takes another quote where one is inside", text: "A=1\n", to: "it's", next: 'A="it\'s"\n' },
    { name: "never puts $ into double quotes", text: "A=1\n", to: "it's $5", next: "A=`it's $5`\n" },
    { name: "keeps $$ as it is", text: "A=1\n", to: "$$&$1", next: "A='$$&$1'\n" },
  ])("$name", ({ text, to, next }) => {
    expect(setValue(text, "A", to)).toBe(next);
  });

  test("recognises a commented value with white space that the contract accepts", () => {
    const isValue = (held: string): boolean => held === "MS SQL";
    expect(setValue("# A=MS SQL\n", "A", "Mongo", { isValue })).toBe("A=Mongo\n");
  });

  test("refuses what no quoting gives back", () => {
    expect(() => setValue("A=1\n", "A", "'\"`")).toThrow(UnwritableValue);
  });

  test("never closes a quote that a line leaves open", () => {
    expect(setValue("B='open\n", "A", "x y")).toBe('B=\'open\nA="x y"\n');
    expect(() => setValue("B='1\nC=\"2\nD=`3\n", "A", "x y")).toThrow(UnwritableValue);
  });
});

describe("the lines of a change", () => {
  test.each([
    ["A=1\n", "A=2\n", { line: 1, before: ["A=1"], after: ["A=2"] }],
    ["B=1\n", "B=1\nA=2\n", { line: 2, before: [], after: ["A=2"] }],
    ["B=1", "B=1\nA=2", { line: 2, before: [], after: ["A=2"] }],
    ["A='1\n2'\nB=1\n", "A=3\nB=1\n", { line: 1, before: ["A='1", "2'"], after: ["A=3"] }],
    ["A=1\r\n# B=\r\n", "A=1\r\nB=2\r\n", { line: 2, before: ["# B="], after: ["B=2"] }],
  ])("from %j to %j", (before, after, change) => {
    expect(changedLines(before, after)).toEqual(change);
  });

  test("none where nothing changed", () => {
    expect(changedLines("A=1\n", "A=1\n")).toBeUndefined();
  });
});

function longestChange(before: string, after: string): { start: number; end: number } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < before.length - start && tail < after.length - start && before.at(-1 - tail) === after.at(-1 - tail))
    tail++;
  return { start, end: before.length - tail };
}
