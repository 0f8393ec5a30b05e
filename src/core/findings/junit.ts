import { type Issue, locationText } from "../api/issue.ts";
import { describeIssue, issuesBySubject, issueLocation, type Report } from "./rule.ts";

export interface JunitContext {
  readonly now: number;
  readonly hostname: string;
}

interface TestCase {
  readonly name: string;
  readonly errors: readonly Issue[];
}

/**
 * The strict form of JUnit XML: one failure per test case, which lists all errors. A warning does not fail a test case.
 */
export function renderJunit(report: Report, { now, hostname }: JunitContext): string {
  const cases = testCases(report);
  const suite = element(
    "testsuite",
    {
      name: report.file,
      id: 0,
      package: "svcm",
      hostname,
      timestamp: new Date(now).toISOString().slice(0, "2026-01-31T12:00:00".length),
      tests: cases.length,
      failures: cases.filter(({ errors }) => errors.length > 0).length,
      errors: 0,
      skipped: 0,
      time: 0,
    },
    lines([
      properties(report),
      ...cases.map((testCase) => renderCase(report.file, testCase)),
      element("system-out", {}, listing(issuesOf(report, "warning"))),
      element("system-err", {}, listing(issuesOf(report, "error"))),
    ]),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", {}, lines([suite]))}`;
}

function testCases(report: Report): TestCase[] {
  const errors = issuesBySubject(report, issuesOf(report, "error"));
  return [
    { name: report.file, errors: errors.get(undefined) ?? [] },
    ...report.subjects.map(({ name }, index) => ({ name, errors: errors.get(index) ?? [] })),
  ];
}

function renderCase(file: string, { name, errors }: TestCase): string {
  const [first] = errors;
  if (!first) return `<testcase name="${escapeAttribute(name)}" classname="${escapeAttribute(file)}" time="0"/>`;
  const failure = element("failure", { type: first.code, message: headline(errors) }, listing(errors));
  return element("testcase", { name, classname: file, time: 0 }, lines([failure]));
}

function headline([first, ...others]: readonly Issue[]): string {
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return `${first ? describeIssue(first) : ""}${more}`;
}

function properties(report: Report): string {
  const facts = { file: report.file, issues: report.issues.length, subjects: report.subjects.length };
  return element(
    "properties",
    {},
    lines(Object.entries(facts).map(([name, value]) => element("property", { name, value }))),
  );
}

function listing(issues: readonly Issue[]): string {
  return clean(issues.map(issueLine).join("\n")).replaceAll(/[&<>\r]/g, reference);
}

function issueLine(issue: Issue): string {
  const place = issueLocation(issue);
  const where = place ? `${locationText(place)} ` : "";
  return `${where}${issue.severity} ${describeIssue(issue)} [${issue.code}]`;
}

function issuesOf({ issues }: Report, requested: Issue["severity"]): Issue[] {
  return issues.filter(({ severity }) => severity === requested);
}

function lines(elements: readonly string[]): string {
  return `\n${elements.join("\n")}\n`;
}

/** XML 1.0 cannot contain these, even as references. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Needs no escaping. The check is worth it, because a report can have half a million names. */
const PLAIN = /^[\w ./:-]*$/;

/** `content` must already be XML. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(`${value}`)}"`);
  return content === "" ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${content}</${name}>`;
}

function escapeAttribute(text: string): string {
  return PLAIN.test(text) ? text : clean(text).replaceAll(/[&<>"\t\n\r]/g, reference);
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(FORBIDDEN, "\uFFFD");
}

function reference(character: string): string {
  return REFERENCES[character] ?? character;
}
