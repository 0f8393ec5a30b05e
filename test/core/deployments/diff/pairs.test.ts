import { expect, test } from "vitest";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../../src/core/project/facts/packaged.generated.ts";
import { diffDeployments } from "../../../../src/core/deployments/diff/diff.ts";

const place = { deployTarget: "dedicated", pm2Profile: "dev" };
const web = { name: "web", ...place, region: "eu", runtime: "nodejs22.x", serviceType: "restapi", databaseDriver: "a" };
const changesOf = (from: readonly object[], to: readonly object[]): string[] =>
  diffDeployments({ deployments: [...from] }, { deployments: [...to] }, { contract, matrix }).changes.map(
    ({ kind, previousName, name }) => [kind, previousName, name].filter(Boolean).join(" "),
  );

test.each([
  ["nothing else changes", {}, ["renamed web site"]],
  ["a quarter of the other members changes", { region: "us" }, ["renamed web site"]],
  ["half of them changes", { region: "us", runtime: "nodejs24.x" }, ["added site", "removed web"]],
  ["it moves to another place", { pm2Profile: "production" }, ["added site", "removed web"]],
])("another name is a rename if %s", (_title, more, expected) => {
  expect(changesOf([web], [{ ...web, name: "site", ...more }])).toEqual(expected);
});

test("changes are in the new order, and what was removed comes last", () => {
  const targets = ["one", "two", "three"].map((name, at) => ({ ...web, name, region: `region-${at}`, runtime: name }));
  const [one, two, three] = targets;
  const changed = (target: object | undefined) => ({ ...target, databaseDriver: "b" });
  expect(
    changesOf([one!, two!, { ...web, name: "old", deployTarget: "lambda" }], [changed(two), three!, changed(one)]),
  ).toEqual(["changed two", "added three", "changed one", "removed old"]);
});
