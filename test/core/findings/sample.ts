import fc from "fast-check";
import { sortIssues, type Issue } from "../../../src/core/api/issue.ts";
import type { Report } from "../../../src/core/findings/rule.ts";
import type { Paint } from "../../../src/core/findings/text.ts";
import { anyCharacter } from "../../support/any-character.ts";

const plain = (text: string): string => text;
export const PLAIN: Paint = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };

/** Replaces each colour by its name, so that a test can check the colours. */
export const TAGS: Paint = {
  bold: (text) => `<bold>${text}</bold>`,
  dim: (text) => `<dim>${text}</dim>`,
  red: (text) => `<red>${text}</red>`,
  yellow: (text) => `<yellow>${text}</yellow>`,
  green: (text) => `<green>${text}</green>`,
  cyan: (text) => `<cyan>${text}</cyan>`,
};

const FILE = "config/my deployments.yaml";
const TEXT = `version: 1
deployments:
  - name: api
    runtime: nodee
  - name: "登録 & <web>"
    path: "登録", port: 99999
  - name: cache
    url: redis://admin:hunter2@cache.local:6379/x # the cache
    port: 80
`;

/** A report with every kind of issue: with and without a position, of a subject, of the file, of another file. */
export const SAMPLE: Report = {
  file: FILE,
  text: TEXT,
  subjects: ["api", "登録 & <web>", "cache"].map((name, index) => ({ name, path: ["deployments", index] })),
  issues: sortIssues([
    issue({ code: "SUITE_EMPTY", path: [], message: 'nothing says 50% <of> it: "a" & b', at: undefined }),
    issue({
      code: "TARGET_RUNTIME",
      path: ["deployments", 0, "runtime"],
      message: "nodee is no runtime",
      accepted: ["node", "bun"],
      suggestion: "node",
      at: at(4, 14),
    }),
    issue({ code: "TARGET_PORT", path: ["deployments", 1, "port"], message: "99999 is no port", at: at(6, 23) }),
    issue({
      code: "TARGET_NAME",
      path: ["deployments", 1, "name"],
      message: "the name is unusual",
      severity: "warning",
      at: at(5, 11),
    }),
    issue({ code: "TARGET_PATH", path: ["deployments", 1, "path"], message: "no such path", at: at(6, 11) }),
    issue({
      code: "TARGET_URL",
      path: ["deployments", 2, "url"],
      message: "it is one of http, https only",
      accepted: ["http", "https"],
      at: at(8, 39),
    }),
    issue({
      code: "ENV_KEY_MISSING",
      path: ["values", "SVC_PORT"],
      message: "SVC_PORT is missing",
      at: { file: "env/.env.dev", line: 1, column: 1 },
    }),
  ]),
};

export const CLEAN: Report = { ...SAMPLE, issues: [] };

export function at(line: number, column: number): NonNullable<Issue["at"]> {
  return { file: FILE, line, column };
}

type Given = Omit<Partial<Issue>, "at" | "code"> & { readonly code?: string; readonly at: Issue["at"] };

/** An issue with default fields. A renderer accepts any code. */
export function issue({ at: place, code = "CODE", ...given }: Given): Issue {
  return { code: code as Issue["code"], severity: "error", path: [], message: "message", ...given, at: place };
}

/** Hostile text: control characters, markup, invalid Unicode, right-to-left marks. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom(
      "<",
      "&",
      "]]>",
      '"',
      "%",
      ":",
      ",",
      "\r",
      "\n",
      "\t",
      "\0",
      "\u001B[31m",
      "\uD800",
      "\uFFFE",
      "://u:p@",
      "\u202E",
      "a",
      "字",
    ),
  }),
);

const anyIssue: fc.Arbitrary<Issue> = fc
  .record({
    code: anyText,
    severity: fc.constantFrom("error" as const, "warning" as const),
    path: fc.array(fc.oneof(anyText, fc.nat()), { maxLength: 3 }),
    message: anyText,
    accepted: fc.array(anyText, { maxLength: 3 }),
    suggestion: anyText,
    at: fc.option(
      fc.record({
        file: fc.constantFrom("a.yaml", "b.yaml", "ä/\uD800:%.yaml"),
        line: fc.integer({ min: -1, max: 8 }),
        column: fc.integer({ min: -1, max: 300 }),
      }),
      { nil: undefined },
    ),
  })
  .map(issue);

export const anyReport: fc.Arbitrary<Report> = fc.record({
  file: fc.constantFrom("a.yaml", "ä/\uD800:%.yaml", ""),
  text: fc.array(anyText, { maxLength: 8 }).map((lines) => lines.join("\n")),
  issues: fc.array(anyIssue, { maxLength: 5 }),
  subjects: fc.array(fc.record({ name: anyText, path: fc.array(fc.nat({ max: 3 }), { maxLength: 2 }) }), {
    maxLength: 3,
  }),
});
