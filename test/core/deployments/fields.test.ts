import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { fieldValues, targetFields, sortByDependency, type Field } from "../../../src/core/deployments/fields.ts";
import { entrySchema } from "../../../src/core/deployments/schema/document.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";

const vocabulary = { contract, matrix };

test("a question follows the question that it depends on; the others keep the order of the file", () => {
  expect(sortByDependency<Field>(targetFields).map(({ name }) => name)).toEqual([
    "name",
    "deployTarget",
    "region",
    "runtime",
    "serviceType",
    "runtimeProtocol",
    "databaseDriver",
    "keyValueDriver",
    "pm2Profile",
  ]);
});

test("every field with a vocabulary has values in the packaged facts", () => {
  const empty = Object.entries(fieldValues(vocabulary)).filter(([, values]) => values.length === 0);
  expect(empty).toEqual([]);
});

test("a new field of the table is in the editor schema, narrowed by the field that it depends on", () => {
  const zone: Field = {
    name: "zone",
    label: "Zone",
    help: "Zone of the region.",
    dependsOn: "deployTarget",
    accepted: ({ deployTarget }) => (deployTarget === "ec2" ? ["a", "b"] : ["a"]),
    required: ({ deployTarget }) => deployTarget === "ec2",
  };
  const ajv = new Ajv({ strict: false });
  const isValid = ajv.compile(entrySchema([...targetFields, zone], vocabulary));
  const entry = {
    name: "one",
    region: "eu",
    runtime: "node22",
    deployTarget: "ec2",
    serviceType: "restapi",
    runtimeProtocol: "http",
    databaseDriver: "SQLite",
    keyValueDriver: "redis",
    pm2Profile: "dev",
  };
  const verdicts = [
    { ...entry, zone: "b" },
    { ...entry, deployTarget: "vm", zone: "b" },
    { ...entry, deployTarget: "vm" },
    entry,
  ].map((candidate) => isValid(candidate));
  expect(verdicts).toEqual([true, false, true, false]);
});
