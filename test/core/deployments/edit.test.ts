import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import {
  migrateDocument,
  editEntry,
  removeEntry,
  copyName,
  targetKind,
} from "../../../src/core/deployments/edit/entry.ts";
import { openQuestions } from "../../../src/core/deployments/edit/configuration.ts";
import { migrateTarget } from "../../../src/core/deployments/shape.ts";
import { entryIssues } from "../../../src/core/deployments/validate.ts";
import { applyChanges } from "../../../src/core/yaml/splice/change.ts";

const vocabulary = { contract, matrix };
const text = fc.constantFrom("node22", "eu", "lambda", "dedicated", "heroku", "restapi", "http", "dev", "");
const legacy = fc.record(
  { name: text, type: text, region: text, runtime: text, serviceType: text, owner: fc.jsonValue({ maxDepth: 2 }) },
  { requiredKeys: ["type"], noNullPrototype: true },
);
const current = fc.record({ name: text, deployTarget: text, owner: text }, { noNullPrototype: true });

test("migrating a document migrates each of its entries and changes nothing else", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(legacy, current), { maxLength: 5 }), (deployments) => {
      const document = { runtimeEnvironment: "dev", deployments };
      const { changes } = migrateDocument(document, vocabulary);
      const migrated = {
        version: "service-management.v1",
        runtimeEnvironment: "dev",
        deployments: deployments.map((entry) => migrateTarget(entry, vocabulary)),
      };
      expect(applyChanges(document, changes)).toEqual(migrated);
      expect(migrateDocument(migrated, vocabulary).changes).toEqual([]);
    }),
  );
});

describe("a copy's name", () => {
  test.each([
    ["prod", [], "prod (copy)"],
    ["prod", ["PROD (COPY)"], "prod (copy 2)"],
    ["prod", ["prod (copy)", "prod (copy 3)", "prod (copy 2)"], "prod (copy 4)"],
    ["prod (copy)", ["prod (copy)"], "prod (copy) (copy)"],
    ["  ", [], "target (copy)"],
    ["Prod", ["prod (copy)"], "Prod (copy 2)"],
    ["OΔΟΣ", ["οδος (copy)", "oδος (COPY)"], "OΔΟΣ (copy 2)"],
  ])("of %j next to %j is %j", (name, taken, expected) => {
    expect(copyName(name, taken)).toBe(expected);
  });
});

test("if names differ only in case, the exact spelling selects an entry, and any other spelling is refused", () => {
  const document = { deployments: [{ name: "Prod" }, { name: "prod" }] };
  expect(removeEntry(targetKind, document, "prod").changes).toEqual([{ kind: "delete", path: ["deployments", 1] }]);
  expect(() => removeEntry(targetKind, document, "PROD")).toThrow("2 deploy targets are named");
});

test("a target may change the case of its name, but not take the name of another target", () => {
  const rest = { region: "eu", runtime: "node22", serviceType: "functions", deployTarget: "lambda" };
  const more = { runtimeProtocol: "http", databaseDriver: "SQLite", keyValueDriver: "redis" };
  const document = {
    deployments: [
      { name: "a", ...rest, ...more },
      { name: "b", ...rest, ...more },
    ],
  };
  const rename = (name: string) =>
    editEntry(targetKind, document, { query: "a", values: { name }, clear: [] }, vocabulary);
  expect(rename("A").changes).toMatchObject([{ kind: "set", path: ["deployments", 0, "name"], value: "A" }]);
  expect(() => rename("B")).toThrow("taken by another deploy target");
});

test("an entry made of offered values is valid", () => {
  for (const deployTarget of Object.keys(matrix.deployTargets)) {
    const answers: Record<string, string> = { name: "a", region: "eu", runtime: "node22", deployTarget };
    const next = () => openQuestions("deployments", answers, vocabulary)[0];
    for (let question = next(); question; question = next()) answers[question.field] = question.accepted?.at(-1) ?? "";
    expect(entryIssues("deployments", answers, [], vocabulary)).toEqual([]);
  }
});
