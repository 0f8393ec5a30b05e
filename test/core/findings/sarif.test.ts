import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Draft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderSarif, type RuleDocs } from "../../../src/core/findings/annotations.ts";
import { anyReport, at, CLEAN, issue, SAMPLE } from "./sample.ts";

const RULES: RuleDocs = {
  TARGET_RUNTIME: {
    summary: "The runtime is known.",
    explanation: "A target runs on node or bun.",
  },
  TARGET_PORT: { summary: "A port is a port.", explanation: "Between 1 and 65535." },
  TARGET_NAME: { summary: "Only a summary." },
};
const VERSION = { version: "1.2.3" };

const ajv = new Draft04.default({ allErrors: true, strict: false, unicodeRegExp: false });
addFormats.default(ajv);
const isSarif = ajv.compile(sarifSchema);

function expectSarif(log: unknown): void {
  isSarif(log);
  expect(isSarif.errors).toBeNull();
}

interface Region {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

function resultsOf(text: string): {
  ruleId: string;
  ruleIndex: number;
  partialFingerprints: object;
  locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: Region } }];
}[] {
  return JSON.parse(text).runs[0].results;
}

describe("renderSarif", () => {
  test("the complete sample is valid against the schema of SARIF 2.1.0", async () => {
    const text = renderSarif(SAMPLE, RULES, VERSION);
    expectSarif(JSON.parse(text));
    await expect(text).toMatchFileSnapshot("../../fixtures/report/sarif.json");
  });

  test("the SARIF schema refuses a broken report", () => {
    const log = JSON.parse(renderSarif(SAMPLE, RULES, VERSION));
    log.runs[0].results[0].level = "fatal";
    log.runs[0].results[1].locations[0].physicalLocation.region.startLine = 0;
    isSarif(log);
    expect(isSarif.errors?.map(({ keyword }) => keyword)).toEqual(["enum", "minimum"]);
  });

  test("no findings: no rule and no result", () => {
    const log = JSON.parse(renderSarif(CLEAN, RULES, VERSION));
    expectSarif(log);
    expect(log.runs[0]).toMatchObject({ tool: { driver: { rules: [] } }, results: [] });
  });

  test("every result names its rule", () => {
    const text = renderSarif({ ...SAMPLE, issues: [...SAMPLE.issues, ...SAMPLE.issues] }, RULES, VERSION);
    const ids: string[] = JSON.parse(text).runs[0].tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    for (const { ruleId, ruleIndex } of resultsOf(text)) expect(ids[ruleIndex]).toBe(ruleId);
  });

  test.each([
    ["a word", "a: nodee # x", 4, "nodee"],
    ["a key", "runtime: x", 1, "runtime"],
    ["a quoted text", 'a: "b \\" c", d', 4, '"b \\" c"'],
    ["in a flow", "[a,b]", 2, "a"],
    ["a URL", "u: http://a:80/b c", 4, "http://a:80/b"],
    ["no word", "a:   ", 4, " "],
    ["behind the end", "a", 9, " "],
  ])("a region covers %s", (_, text, column, covered) => {
    const [result] = resultsOf(
      renderSarif({ ...SAMPLE, text, issues: [issue({ at: at(1, column) })] }, RULES, VERSION),
    );
    expect(result!.locations[0].physicalLocation.region).toEqual({
      startLine: 1,
      startColumn: column,
      endLine: 1,
      endColumn: column + covered.length,
    });
  });

  test("a fingerprint stays the same if a line is inserted above", () => {
    const moved = SAMPLE.issues.map((found) =>
      found.at ? { ...found, at: { ...found.at, line: found.at.line + 1 } } : found,
    );
    const prints = (issues: typeof moved): object[] =>
      resultsOf(renderSarif({ ...SAMPLE, issues }, RULES, VERSION)).map((result) => result.partialFingerprints);
    expect(prints(moved)).toEqual(prints([...SAMPLE.issues]));
    expect(new Set(prints(moved).map((print) => JSON.stringify(print))).size).toBe(moved.length);
  });

  test("a path is a relative, percent-encoded reference", () => {
    const place = { file: "a b/ü:%#?.yaml", line: 1, column: 1 };
    const [result] = resultsOf(renderSarif({ ...SAMPLE, issues: [issue({ at: place })] }, RULES, VERSION));
    expect(result!.locations[0].physicalLocation.artifactLocation.uri).toBe("a%20b/%C3%BC%3A%25%23%3F.yaml");
  });

  test("a code with the name of a property of every object is not a rule", () => {
    const log = renderSarif({ ...SAMPLE, issues: [issue({ code: "constructor", at: undefined })] }, RULES, VERSION);
    expectSarif(JSON.parse(log));
  });

  test("every report is valid, and its regions are not empty", () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const text = renderSarif(report, RULES, VERSION);
        expectSarif(JSON.parse(text));
        for (const { locations } of resultsOf(text)) {
          const { region } = locations[0].physicalLocation;
          expect(region.endColumn).toBeGreaterThan(region.startColumn);
          expect(region.endLine).toBe(region.startLine);
        }
      }),
    );
  });
});
