/** Values as text for a shell, for docker, and as JSON. */
import { expect, test } from "vitest";
import { exportedValues, exportIssues, exportText } from "../../../src/core/env/export.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";

const problemsOf = (values: Readonly<Record<string, string>>, format: "docker" | "json" | "shell") =>
  exportIssues(values, format).map(({ path, message }) => [path.at(-1), message]);
const refusal = (key: string, why: string) => [[key, `${key} cannot be exported: ${why}; accepted: --format json`]];

test("each format writes what its readers read", () => {
  const values = { A: "it's", B: "x y" };
  expect(exportText(values, "shell")).toBe(String.raw`export A='it'\''s'` + "\nexport B='x y'");
  expect(exportText(values, "docker")).toBe("A=it's\nB=x y");
  expect(exportText(values, "json")).toBe('{\n  "A": "it\'s",\n  "B": "x y"\n}');
});

test("a shell has no variable whose name has another character", () => {
  expect(problemsOf({ A_1: "x", _b: "" }, "shell")).toEqual([]);
  const why = "a shell variable has only letters, digits and _ in its name";
  expect(problemsOf({ A: "x", "a.b": "x" }, "shell")).toEqual(refusal("a.b", why));
  expect(problemsOf({ "1A": "x" }, "shell")).toEqual(refusal("1A", why));
});

test("docker cannot hold a line break, or a line of 64 KiB", () => {
  const broken = refusal("A", "its value holds a line break, which docker --env-file cannot hold");
  for (const value of ["x\ny", "x\r"]) expect(problemsOf({ A: value }, "docker")).toEqual(broken);
  const longest = 64 * 1024 - "A=".length - 1;
  expect(problemsOf({ A: "x".repeat(longest), B: "x\ry" }, "docker")).toEqual([]);
  const long = refusal("A", "its line is longer than the 64 KiB that docker --env-file reads");
  expect(problemsOf({ A: "x".repeat(longest + 1) }, "docker")).toEqual(long);
  expect(problemsOf({ "a.b": "x\ny".repeat(longest) }, "json")).toEqual([]);
});

test("a name that may be a secret itself is not even named among what is withheld", () => {
  const values = new Map([
    ["OTHER", "x"],
    ["sk-ant-api03-canarycanarycanarycanarycanary", "x"],
    ["redis://user:canary@h:1", "x"],
  ]);
  expect(exportedValues(packagedRuntimeContract, values)).toEqual({ values: {}, withheld: ["OTHER"] });
});
