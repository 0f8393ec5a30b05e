import { parseEnv } from "node:util";
import dotenv from "dotenv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEnvDocument, valuesOf } from "../../../src/core/env/document.ts";
import { setValues, UnwritableValue, type Assignment, type EditResult } from "../../../src/core/env/edit.ts";
import { unportableLines } from "../../../src/core/env/portable.ts";
import { envText, hostileText, keyName } from "./env-arbitraries.ts";
import { longTest, propertyRuns } from "../../support/runs.ts";

/** Values with all characters that need quotes, except line breaks and control characters. */
const value = fc.stringMatching(/^[A-Za-z0-9 #'"`$=:/\\@?&;é-]{0,12}$/);

function setValue(text: string, key: string, to: string, more: Partial<Assignment> = {}): string {
  return setValues(text, [{ key, value: to, ...more }]).text;
}

function attemptSet(text: string, key: string, to: string): string | undefined {
  return attemptSets(text, [{ key, value: to }])?.text;
}

function attemptSets(text: string, assignments: readonly Assignment[]): EditResult | undefined {
  try {
    return setValues(text, assignments);
  } catch (error) {
    expect(error).toBeInstanceOf(UnwritableValue);
    return undefined;
  }
}

describe("setting a value", () => {
  longTest("svcm's reader, dotenv and node --env-file read the value that was set", () => {
    const often = propertyRuns(1000, 10_000);
    let written = 0;
    fc.assert(
      fc.property(envText, keyName, value, (text, key, to) => {
        const next = attemptSet(text, key, to);
        if (next === undefined) return;
        written++;
        expect(valuesOf(parseEnvDocument(next)).get(key) ?? "").toBe(to);
        expect(dotenv.parse(next)[key] ?? "").toBe(to);
        const isPortable = unportableLines(parseEnvDocument(next)).length === 0;
        if (isPortable) expect(parseEnv(next)[key] ?? "").toBe(to);
      }),
      often,
    );
    expect(written / often.numRuns).toBeGreaterThan(0.8);
  });

  longTest("keeps every other byte of a hostile file", () => {
    fc.assert(
      fc.property(hostileText, keyName, value, (text, key, to) => {
        const next = attemptSet(text, key, to);
        if (next === undefined || next === text) return;
        const change = longestChange(text, next);
        const held = parseEnvDocument(text).entries.findLast((entry) => entry.key === key);
        if (held) {
          expect(change.start).toBeGreaterThanOrEqual(held.start);
          expect(change.end).toBeLessThanOrEqual(held.end);
        } else {
          const lines = text.slice(change.start, change.end).split(/\r\n|\r|\n/);
          expect(lines).toHaveLength(1);
        }
        for (const [name, before] of valuesOf(parseEnvDocument(text))) {
          if (name !== key) expect(valuesOf(parseEnvDocument(next)).get(name)).toBe(before);
        }
      }),
      propertyRuns(1500, 20_000),
    );
  });

  test("setting a value twice has the same effect as setting it once", () => {
    fc.assert(
      fc.property(hostileText, keyName, value, (text, key, to) => {
        const once = attemptSet(text, key, to);
        if (once !== undefined) expect(setValue(once, key, to)).toBe(once);
      }),
      propertyRuns(1000, 10_000),
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
    { name: "keeps no empty line of a value below its name", text: "A=\n'x' \nB=1\n", to: "", next: "A='' \nB=1\n" },
    { name: "quotes white space", text: "A=1\n", to: "MS SQL", next: "A='MS SQL'\n" },
    { name: "quotes a hash", text: "A=1\n", to: "a#b", next: "A='a#b'\n" },
    { name: "takes another quote where one is inside", text: "A=1\n", to: "it's", next: 'A="it\'s"\n' },
    { name: "never puts $ into double quotes", text: "A=1\n", to: "it's $5", next: "A=`it's $5`\n" },
    { name: "keeps $$ as it is", text: "A=1\n", to: "$$&$1", next: "A='$$&$1'\n" },
  ])("$name", ({ text, to, next }) => {
    expect(setValue(text, "A", to)).toBe(next);
  });

  test("sets several, in whatever order they come", () => {
    const assignments = [
      { key: "C", value: "6" },
      { key: "A", value: "4" },
      { key: "D", value: "7" },
    ];
    expect(setValues("A=1\nB=2\nC=3\n", assignments).text).toBe("A=4\nB=2\nC=6\nD=7\n");
  });

  test("recognises a commented value with white space that the contract accepts", () => {
    const isValue = (held: string): boolean => held === "MS SQL";
    expect(setValue("# A=MS SQL\n", "A", "Mongo", { isValue })).toBe("A=Mongo\n");
  });

  test("refuses a value that no quoting preserves", () => {
    expect(() => setValue("A=1\n", "A", "'\"`")).toThrow(UnwritableValue);
  });

  test("never closes a quote that a line leaves open", () => {
    expect(setValue("B='open\n", "A", "x y")).toBe('B=\'open\nA="x y"\n');
    expect(() => setValue("B='1\nC=\"2\nD=`3\n", "A", "x y")).toThrow(UnwritableValue);
  });
});

describe("a line that some readers would read differently", () => {
  test.each([
    ["A: 1\n", "A=2\n"],
    ["A: \n", "A=2 \n"],
    ["A: # note\n", "A=2 # note\n"],
    ["export A: 1\n", "export A=2\n"],
    ["export\tA=1\n", "export A=2\n"],
    ["export  A=1\n", "export A=2\n"],
    ["\tA=1\n", "A=2\n"],
    ["A=\t1\n", "A=2\n"],
    ["A=1\t# note\n", "A=2 # note\n"],
    ["A=1\t\n", "A=2\n"],
    ["A=\n'1'\n", "A=2\n"],
    ["# A: 1\nB=2\n", "# A: 1\nB=2\nA=2\n"],
    ["B=1\n   ", "B=1\nA=2\n   "],
    ["B=1\n\n\t\n", "B=1\n\nA=2\n\t\n"],
    ["  ", "A=2\n  "],
  ])("%j is rewritten in plain form", (text, next) => {
    const edited = setValues(text, [{ key: "A", value: "2" }]);
    expect(edited.text).toBe(next);
    expect(edited.edits[0]?.ambiguities).toEqual([]);
    expect(parseEnv(next)["A"]).toBe("2");
  });

  test.each([
    ["a byte order mark before it", "\uFEFFA=1\n", 1, /byte order mark/],
    ["a line above that assigns nothing", "B=1\nstray\n\nA=1\n", 2, /read on from line 2/],
    ["an empty value above with a space", "B= \nA=1\n", 1, /read on from line 1/],
    ["a line above without a key", "=1\nB=1\nA=1\n", 1, /read on from line 1/],
    ["a quote above that is closed after it", "B='1\nA=1\nC='2\n", 1, /line 1 leaves a quote \('\) open/],
    ["a lone carriage return", "B=1\rA=1\n", 2, /lone carriage return/],
  ])("warns of %s", (_name, text, line, reason) => {
    const [edit] = setValues(text, [{ key: "A", value: "2" }]).edits;
    expect(edit?.ambiguities).toEqual([{ line, reason: expect.stringMatching(reason) }]);
  });

  test("is refused if it would end a quote that a line above leaves open", () => {
    const text = 'B="open\nA=1\n';
    const assign = (): EditResult => setValues(text, [{ key: "A", value: "redis://h/a\"b'" }]);
    expect(assign).toThrow(/^A cannot be written to this file: line 1 leaves a quote \("\) open/);
  });

  longTest("in any text, Node reads the value back, or a warning names a line", () => {
    const often = propertyRuns(2000, 50_000);
    const counts = { given: 0, doubted: 0 };
    fc.assert(
      fc.property(hostileText, keyName, value, (text, key, to) => {
        const edited = attemptSets(text, [{ key, value: to }]);
        const doubts = edited?.edits[0]?.ambiguities;
        if (!edited || !doubts) return;
        counts[doubts.length === 0 ? "given" : "doubted"]++;
        if (doubts.length === 0) expect(parseEnv(edited.text)[key] ?? "").toBe(to);
      }),
      often,
    );
    expect(counts.given / often.numRuns).toBeGreaterThan(0.2);
    expect(counts.doubted / often.numRuns).toBeGreaterThan(0.1);
  });
});

describe("several values at once", () => {
  const assignments = fc.uniqueArray(fc.record({ key: keyName, value }), { maxLength: 5, selector: ({ key }) => key });

  longTest("have the same result as single writes in order", () => {
    fc.assert(
      fc.property(fc.oneof(envText, hostileText), assignments, (text, changes) => {
        const together = attemptSets(text, changes);
        const inTurn = changes.reduce<string | undefined>(
          (current, { key, value: to }) => current && attemptSet(current, key, to),
          text === "" ? "# \n" : text,
        );
        if (together === undefined || inTurn === undefined) return;
        const expected = valuesOf(parseEnvDocument(inTurn));
        expect(valuesOf(parseEnvDocument(together.text))).toEqual(expected);
      }),
      propertyRuns(1000, 10_000),
    );
  });

  test.each([
    ["A=1\n", [["A", "2"]], [{ line: 1, before: ["A=1"], after: ["A=2"] }]],
    ["B=1\n", [["A", "2"]], [{ line: 2, before: [], after: ["A=2"] }]],
    ["B=1", [["A", "2"]], [{ line: 2, before: [], after: ["A=2"] }]],
    ["A='1\n2'\nB=1\n", [["A", "3"]], [{ line: 1, before: ["A='1", "2'"], after: ["A=3"] }]],
    ["A=1\r\n# B=\r\n", [["B", "2"]], [{ line: 2, before: ["# B="], after: ["B=2"] }]],
    [
      "B=1\n# C=\n",
      [
        ["A", "2"],
        ["C", "3"],
        ["D", "4"],
        ["B", "5"],
      ],
      [
        { line: 3, before: [], after: ["A=2"] },
        { line: 2, before: ["# C="], after: ["C=3"] },
        { line: 4, before: [], after: ["D=4"] },
        { line: 1, before: ["B=1"], after: ["B=5"] },
      ],
    ],
  ])("in %j name their lines", (text, assigned, changes) => {
    const { edits } = setValues(
      text,
      assigned.map(([key = "", to = ""]) => ({ key, value: to })),
    );
    expect(edits.map(({ change }) => change)).toEqual(changes);
  });

  test("do not write the file if it already has them", () => {
    const text = "A=1\n";
    expect(setValues(text, [{ key: "A", value: "1" }])).toEqual({ text, edits: [] });
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
