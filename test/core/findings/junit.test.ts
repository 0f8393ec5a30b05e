import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { renderJunit } from "../../../src/core/findings/junit.ts";
import { anyReport, CLEAN, issue, SAMPLE } from "./sample.ts";
import { anyCharacter } from "../../support/any-character.ts";

const CONTEXT = { now: Date.UTC(2026, 0, 31, 12, 30, 15, 250), hostname: "build & <test>" };

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function parseXml(xml: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: "" };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => (open.at(-1)!.text += text));
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

function suiteOf(xml: string): Element {
  return parseXml(xml).children[0]!;
}

function named(suite: Element, name: string): Element[] {
  return suite.children.filter((child) => child.name === name);
}

describe("renderJunit", () => {
  test("the complete sample", async () => {
    await expect(renderJunit(SAMPLE, CONTEXT)).toMatchFileSnapshot("../../fixtures/report/junit.xml");
  });

  test("the suite has every attribute of the strict format, and correct counts", () => {
    const suite = suiteOf(renderJunit(SAMPLE, CONTEXT));
    expect(suite.attributes).toEqual({
      name: SAMPLE.file,
      id: "0",
      package: "svcm",
      hostname: "build & <test>",
      timestamp: "2026-01-31T12:30:15",
      tests: "4",
      failures: "4",
      errors: "0",
      skipped: "0",
      time: "0",
    });
    expect(suite.children.map(({ name }) => name)).toEqual([
      "properties",
      "testcase",
      "testcase",
      "testcase",
      "testcase",
      "system-out",
      "system-err",
    ]);
  });

  test("one case for the file and one for each subject, each with its own errors", () => {
    const cases = named(suiteOf(renderJunit(SAMPLE, CONTEXT)), "testcase");
    expect(cases.map(({ attributes }) => attributes["name"])).toEqual([SAMPLE.file, "api", "登録 & <web>", "cache"]);
    expect(cases.map(({ children }) => children.map(({ attributes }) => attributes))).toEqual([
      [{ type: "SUITE_EMPTY", message: 'nothing says 50% <of> it: "a" & b (and 1 more)' }],
      [{ type: "TARGET_RUNTIME", message: "nodee is no runtime; accepted: node, bun (did you mean node?)" }],
      [{ type: "TARGET_PATH", message: "no such path (and 1 more)" }],
      [{ type: "TARGET_URL", message: "it is one of http, https only" }],
    ]);
    expect(cases[2]!.children[0]!.text.split("\n")).toEqual([
      "config/my deployments.yaml:6:11 error no such path [TARGET_PATH]",
      "config/my deployments.yaml:6:23 error 99999 is no port [TARGET_PORT]",
    ]);
  });

  test("a warning is listed, but fails no case", () => {
    const suite = suiteOf(renderJunit({ ...SAMPLE, issues: [issue({ severity: "warning", at: undefined })] }, CONTEXT));
    expect(suite.attributes["failures"]).toBe("0");
    expect(named(suite, "system-out")[0]!.text).toBe("warning message [CODE]");
  });

  test("no findings: every case passes", () => {
    const suite = suiteOf(renderJunit(CLEAN, CONTEXT));
    expect(suite.attributes).toMatchObject({ tests: "4", failures: "0" });
    expect(named(suite, "testcase").flatMap(({ children }) => children)).toEqual([]);
  });

  test("only characters that XML cannot hold are replaced", () => {
    const message = "a\0b\u001B[31m\uFFFE\uD800 <&>\"' ]]> \t\r\n z";
    const suite = suiteOf(renderJunit({ ...SAMPLE, issues: [issue({ message, at: undefined })] }, CONTEXT));
    const kept = "a\uFFFDb\uFFFD[31m\uFFFD\uFFFD <&>\"' ]]> \t\r\n z";
    expect(named(suite, "testcase")[0]!.children[0]!.attributes["message"]).toBe(kept);
    expect(named(suite, "system-err")[0]!.text).toBe(`error ${kept} [CODE]`);
  });

  test("any report is well-formed XML with correct counts", () => {
    fc.assert(
      fc.property(anyReport, fc.string({ unit: anyCharacter }), (report, hostname) => {
        const suite = suiteOf(renderJunit(report, { ...CONTEXT, hostname }));
        const cases = named(suite, "testcase");
        expect(cases).toHaveLength(1 + report.subjects.length);
        expect(suite.attributes).toMatchObject({
          tests: `${cases.length}`,
          failures: `${cases.filter(({ children }) => children.length > 0).length}`,
        });
      }),
    );
  });
});
