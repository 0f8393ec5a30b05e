import { describe, expect, test } from "vitest";
import { MAX_FINDINGS } from "../../../src/core/api/issue.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import { reportFormats } from "../../../src/core/api/names.ts";
import { renderReport } from "../../../src/core/setup/render-report.ts";
import { subjectsOf, validateSource } from "../../../src/core/deployments/validate.ts";
import { parseYaml } from "../../../src/core/yaml/parse.ts";
import { mutant, randomOf, realDocuments } from "../yaml/mutate.ts";
import { hostileDocuments } from "../../support/hostile-documents.ts";
import { everyThirdOrAll, propertyRuns, sampleOrAll } from "../../support/runs.ts";

const [SIZE = 0] = sampleOrAll([2 ** 15], [2 ** 14]);
/** A section or a map within it, and the text that says that there are more issues. */
const MAX_ISSUES = 3 * (MAX_FINDINGS + 1);
const same = (text: string): string => text;
const context = {
  paint: { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same },
  version: "0.0.0",
  now: 0,
  hostname: "here",
};

async function issuesAndReports(text: string) {
  const source = parseYaml(text, "deployments.yaml");
  const issues = validateSource(source, { contract, matrix });
  const report = { file: "deployments.yaml", text, issues, subjects: subjectsOf(source.value) };
  const reports = await Promise.all(reportFormats.map((format) => renderReport(report, format, context)));
  return { source, issues, reports };
}

describe("a hostile document is refused, with a bounded list of issues, each with its place", () => {
  const documents = Object.entries(hostileDocuments);
  test.each(everyThirdOrAll(documents))("%s", async (_, make) => {
    const { issues, reports } = await issuesAndReports(make(SIZE));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(MAX_ISSUES);
    expect(issues.filter(({ at }) => at === undefined)).toEqual([]);
    // A line of the report is short even if the line of the document is long.
    const [text = ""] = reports;
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThan(1000);
  });
});

test("a report that lists only some issues says that there are more", async () => {
  const entries = await issuesAndReports(`deployments:\n${"-\n".repeat(MAX_FINDINGS + 2)}`);
  expect(entries.issues).toHaveLength(MAX_FINDINGS + 1);
  expect(entries.issues[0]).toMatchObject({ code: "SUITE_TOO_MANY_ISSUES", path: ["deployments"] });
  const duplicates = await issuesAndReports("version: 1\n".repeat(MAX_FINDINGS + 3));
  expect(duplicates.issues).toHaveLength(MAX_FINDINGS + 1);
  expect(duplicates.issues.map(({ code }) => code)).toContain("YAML_TOO_MANY_ISSUES");
  expect(duplicates.source.value).toBeUndefined();
  const exactly = await issuesAndReports(`deployments:\n${"-\n".repeat(MAX_FINDINGS)}`);
  expect(exactly.issues).toHaveLength(MAX_FINDINGS);
});

test("every mutated document is validated and reported", async () => {
  const { numRuns } = propertyRuns(60, 1000);
  const random = randomOf(2);
  const documents = realDocuments();
  for (let tried = 0; tried < numRuns; tried++) {
    const text = mutant(documents, random);
    const { source, issues } = await issuesAndReports(text);
    expect(source.value === undefined, text).toBe(source.issues.some(({ severity }) => severity === "error"));
    for (const { at } of issues) expect(at?.line ?? 0, text).toBeLessThanOrEqual(text.split("\n").length);
  }
});
