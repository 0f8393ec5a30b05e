import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isValid } from "../../../src/core/api/issue.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import { readCapabilityMatrix } from "../../../src/core/project/facts/read.ts";
import { documentSchema } from "../../../src/core/deployments/schema/document.ts";
import { validateDocument } from "../../../src/core/deployments/validate.ts";
import type { Vocabulary } from "../../../src/core/deployments/file.ts";
import { readSource } from "../../../src/core/yaml/read.ts";
import { parseYaml } from "../../../src/core/yaml/parse.ts";
import { firstOrAll, longTest, propertyRuns } from "../../support/runs.ts";

const folder = fileURLToPath(new URL("../../fixtures/deployments/", import.meta.url));
/** A schema cannot compare entries with each other. */
const BEYOND = new Set(["TARGET_NAME_DUPLICATE", "INTERFACE_DUPLICATE", "CONFIG_PORT_COLLISION"]);
const EDITOR_WORDS = [
  "markdownDescription",
  "markdownEnumDescriptions",
  "deprecationMessage",
  "patternErrorMessage",
  "defaultSnippets",
  "doNotSuggest",
];
const STRANGER = "nonsense";
const packaged = { contract, matrix };

const foreign = {
  contract,
  matrix: {
    ...matrix,
    serviceTypes: { queue: { label: "Queue", protocols: ["grpc"] }, ...matrix.serviceTypes },
    deployTargetGroups: {
      ...matrix.deployTargetGroups,
      batch: { label: "Batch", pm2Managed: true, serviceTypes: ["queue", "restapi", "grpc+restapi"] },
      unused: { label: "Unused", pm2Managed: false, serviceTypes: ["queue"] },
    },
    deployTargets: {
      ...matrix.deployTargets,
      nomad: { label: "Nomad", group: "batch", selfHosted: false, regionRequired: false },
    },
    unknownDeployTarget: { regionRequired: false },
    migration: { ...matrix.migration, deployTargetAliases: { dedicated: "dedicated-server", vm: "nomad" } },
  },
};

type Value = unknown;
type Axes = Readonly<Record<string, readonly Value[]>>;

function product(axes: Axes): Record<string, Value>[] {
  let rows: Record<string, Value>[] = [{}];
  for (const [name, values] of Object.entries(axes)) {
    rows = rows.flatMap((row) => values.map((value) => (value === undefined ? row : { ...row, [name]: value })));
  }
  return rows;
}

/** Compares the schema with the validator, and returns how many documents are valid and invalid. */
function compare(
  documents: Iterable<unknown>,
  vocabulary: Vocabulary,
  isSchemaValid = schemaOf(vocabulary),
): { readonly valid: number; readonly all: number } {
  let [valid, all] = [0, 0];
  for (const document of documents) {
    const issues = validateDocument(document, vocabulary).filter(({ code }) => !BEYOND.has(code));
    const bySchema = isSchemaValid(document);
    if (bySchema !== isValid(issues))
      expect({ document, issues }, JSON.stringify(isSchemaValid.errors)).toBe(`valid by the schema: ${bySchema}`);
    all++;
    if (bySchema) valid++;
  }
  return { valid, all };
}

function schemaOf(vocabulary: Vocabulary) {
  const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  for (const word of EDITOR_WORDS) ajv.addKeyword(word);
  return ajv.compile(documentSchema(vocabulary));
}

function targetAxes({ matrix: { serviceTypes, deployTargets, protocols, pm2Profiles, migration } }: Vocabulary) {
  const targets = [...Object.keys(deployTargets), STRANGER];
  return {
    serviceType: [...Object.keys(serviceTypes), STRANGER],
    deployTarget: targets,
    runtimeProtocol: [...Object.keys(protocols), STRANGER],
    pm2Profile: [...pm2Profiles, STRANGER, "", undefined],
    type: [...targets, ...Object.keys(migration.deployTargetAliases)],
    region: [undefined, " ", "eu"],
  };
}

const plain = { name: "a", runtime: "node22" };
const drivers = { databaseDriver: "SQLite", keyValueDriver: "redis" };

test.each(
  firstOrAll([
    ["packaged", packaged, 840 * 3, 66],
    ["foreign", foreign, 6 * 8 * 4 * 6 * 3, 90],
  ]),
)(
  "targets of the %s matrix: serviceType x deployTarget x runtimeProtocol x pm2Profile x region",
  (_, facts, ...sizes) => {
    const { type: _type, ...axes } = targetAxes(facts);
    const entries = product(axes).map((row) => ({ ...plain, ...drivers, ...row }));
    const { all, valid } = compare(
      entries.map((entry) => ({ deployments: [entry] })),
      facts,
    );
    expect([all, valid]).toEqual(sizes);
  },
);

const matrices = [
  ["packaged", packaged],
  ["foreign", foreign],
] as const;

longTest.each(firstOrAll(matrices))(
  "legacy entries of the %s matrix, with and without every part of today's metadata",
  (_, facts) => {
    const { deployTarget: _target, ...axes } = targetAxes(facts);
    const optional = Object.fromEntries(
      Object.entries(axes).map(([name, values]) => [
        name,
        name === "type" ? values : [...new Set([...values, undefined])],
      ]),
    );
    const { valid } = compare(
      product(optional).map((row) => ({ deployments: [{ ...plain, ...row }] })),
      facts,
    );
    expect(valid).toBeGreaterThan(100);
  },
);

longTest("the schema and the validator agree on serviceKind x runMode x cloudProvider x a port", () => {
  const some = [
    0,
    1,
    3000,
    65_535,
    65_536,
    1.5,
    -1,
    null,
    true,
    [],
    "3000",
    " 08080 ",
    "65535",
    "65536",
    "000000",
    "099999",
    "0",
    "",
    "1e3",
    undefined,
  ];
  const rows = product({
    serviceKind: [...Object.keys(matrix.serviceKinds), STRANGER, undefined],
    runMode: [...Object.keys(matrix.runModes), STRANGER, undefined],
    cloudProvider: [...Object.keys(matrix.cloudProviders), STRANGER, undefined],
    grpc: some,
  }).map(({ grpc, ...row }) => ({ ...row, ports: { rest: 1, websocket: "2", ...(grpc !== undefined && { grpc }) } }));
  const { all, valid } = compare(
    rows.map((serviceConfiguration) => ({ serviceConfiguration })),
    packaged,
  );
  expect([all, valid]).toEqual([5 * 6 * 9 * some.length, 9 * (2 * some.length + 5)]);
});

test("the schema and the validator agree on every type of interface with every framework", () => {
  const frameworks = [...new Set([...Object.keys(matrix.interfaceTypes), "express", "sails", "socket-io", "total-js"])];
  const rows = product({
    type: [...Object.keys(matrix.interfaceTypes), STRANGER, undefined],
    framework: [...frameworks, undefined],
    entrypoint: ["src/interface/HTTP/a.ts", "src/interface/a.mts", " src/interface/a.ts", undefined],
    controller: ["ItemController.list", "itemController.list", "ItemController.list ", undefined],
  });
  const { all, valid } = compare(
    rows.map((adapter) => ({ interfaces: [adapter] })),
    packaged,
  );
  expect([all, valid]).toEqual([6 * 9 * 16, 2 * 2 + 1 + 1]);
});

test("the schema and the validator agree on ports and documents of every type", () => {
  const configuration = { serviceKind: "rest-api", runMode: "functions", cloudProvider: "aws" };
  const ports = [[3000], "3000", null, {}, { rest: 1, other: 2 }, { rest: 1, grpc: {} }, { rest: "\u200B1" }];
  const { all, valid } = compare(
    [...ports.map((some) => ({ serviceConfiguration: { ...configuration, ports: some } })), null, [], "", 1, {}],
    packaged,
  );
  expect([all, valid]).toEqual([12, 2]);
});

const anything = fc.constantFrom<unknown>(
  null,
  1,
  1.5,
  true,
  "",
  " ",
  [],
  {},
  "a\u200Bb",
  "a\u202Eb",
  "\u00E9",
  "a\nb",
  "node20 ",
  " DEV",
  "tesT",
  "latest",
);

test("the schema and the validator agree on documents with a fault anywhere", () => {
  const good = parseYaml(readFileSync(`${folder}good.yaml`, "utf8"), "good.yaml").value;
  const legacy = { name: "old", type: "dedicated", region: "", runtime: "node18" };
  const document = { ...(good as { deployments: unknown[] }) };
  const documents = [{ ...document, deployments: [...document.deployments, legacy] }];
  const places = placesOf(documents[0]);
  const compiled = schemaOf(packaged);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.option(anything, { nil: undefined }), (path, value) => {
      compare([changed(documents[0], path, value)], packaged, compiled);
      compare([changed(documents[0], [...path, "stranger"], value)], packaged, compiled);
    }),
    propertyRuns(60, 1000),
  );
});

longTest("the schema and the validator agree on every readable fixture", async () => {
  const names = readdirSync(folder).filter((name) => /\.(?:yaml|json)$/.test(name));
  const documents = await Promise.all(
    names.map(async (name) => readSource(readFileSync(folder + name, "utf8"), name).value),
  );
  const { all, valid } = compare(
    documents.filter((document) => document !== undefined),
    packaged,
  );
  expect(all).toBeGreaterThan(5);
  expect(valid).toBeGreaterThan(0);
});

test("a changed matrix changes the schema", () => {
  const text = readFileSync(new URL("../../../config/capability-matrix.yaml", import.meta.url), "utf8");
  const own = readCapabilityMatrix(text.replace("[aws, vercel, cloudflare]", "[google]"), "own.yaml", contract);
  const configuration = { serviceKind: "rest-api", runMode: "functions", cloudProvider: "google", ports: { rest: 1 } };
  const document = { serviceConfiguration: configuration };
  expect(own.issues).toEqual([]);
  expect([schemaOf({ contract, matrix: own.value! })(document), schemaOf(packaged)(document)]).toEqual([true, false]);
});

function placesOf(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([step, child]) => placesOf(child, [...path, step]))];
}

/** A copy with another value at a path, or without the path if the value is undefined. */
function changed(value: unknown, [step, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (step === undefined) return to ?? null;
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string | number, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  if (rest.length > 0) copy[step] = changed(copy[step], rest, to);
  else if (to === undefined && !Array.isArray(copy)) delete copy[step];
  else copy[step] = to ?? null;
  return copy;
}
