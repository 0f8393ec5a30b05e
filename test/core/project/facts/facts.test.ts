import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  packagedCapabilityMatrix,
  packagedRuntimeContract,
  packagedRuntimeContractText,
  packagedCapabilityMatrixText,
} from "../../../../src/core/project/facts/packaged.generated.ts";
import { readCapabilityMatrix, readRuntimeContract } from "../../../../src/core/project/facts/read.ts";

const config = new URL("../../../../config/", import.meta.url);

function contractIssues(edit: (text: string) => string): string[] {
  const { issues } = readRuntimeContract(edit(packagedRuntimeContractText), "contract.yaml");
  return issues.map(({ code, message, at }) => `${at?.line}:${at?.column} ${code} ${message}`);
}

function matrixIssues(edit: (text: string) => string): string[] {
  const edited = edit(packagedCapabilityMatrixText);
  expect(edited).not.toBe(packagedCapabilityMatrixText);
  const { issues } = readCapabilityMatrix(edited, "matrix.yaml", packagedRuntimeContract);
  return issues.map(({ code, message }) => `${code} ${message}`);
}

function lineOf(text: string, piece: string): number {
  return text.slice(0, text.indexOf(piece)).split("\n").length;
}

describe("the packaged facts", () => {
  test("equal the YAML files, parsed separately", () => {
    expect(packagedRuntimeContract).toEqual(parse(readFileSync(new URL("runtime-contract.yaml", config), "utf8")));
    expect(packagedCapabilityMatrix).toEqual(parse(readFileSync(new URL("capability-matrix.yaml", config), "utf8")));
  });

  test("driver and framework vocabularies of the matrix are those of the runtime keys", () => {
    const { drivers, interfaceTypes } = packagedCapabilityMatrix;
    expect(drivers).toEqual({
      database: { key: "SVC_DATABASE_DRIVER" },
      keyValue: { key: "SVC_KEYVALUESTORAGE_DRIVER" },
    });
    expect(interfaceTypes["http-rest"]?.frameworks).toEqual({ key: "SVC_HTTP_FRAMEWORK" });
    expect(interfaceTypes["sse"]?.frameworks).toEqual({ key: "SVC_HTTP_FRAMEWORK" });
  });

  test("contain the matrices of the specification", () => {
    const { runModes, deployTargetGroups, deployTargets, serviceTypes } = packagedCapabilityMatrix;
    expect(
      Object.fromEntries(Object.entries(runModes).map(([mode, { cloudProviders }]) => [mode, cloudProviders])),
    ).toEqual({
      "dedicated-server": ["self-hosted"],
      "virtual-machine": ["aws", "google", "azure"],
      container: ["docker", "self-hosted"],
      functions: ["aws", "vercel", "cloudflare"],
    });
    const accepted = Object.entries(deployTargets).map(([name, { group }]) => [
      name,
      deployTargetGroups[group]?.serviceTypes,
    ]);
    const managed = ["restapi", "websocket+restapi", "grpc+restapi"];
    expect(Object.fromEntries(accepted)).toEqual({
      "dedicated-server": managed,
      vm: managed,
      ec2: managed,
      lambda: ["functions"],
      "vercel-functions": ["functions"],
      "cloudflare-workers": ["functions"],
    });
    expect(Object.fromEntries(Object.entries(serviceTypes).map(([type, { protocols }]) => [type, protocols]))).toEqual({
      restapi: ["http"],
      "websocket+restapi": ["http", "websocket"],
      "grpc+restapi": ["http", "grpc"],
      functions: ["http"],
    });
  });
});

describe("a repository's own runtime contract", () => {
  test("is refused with line and column of every error", () => {
    const faulty = (text: string): string =>
      text.replace("default: express", "default: expres").replace("label: HTTP framework", "lable: HTTP framework");
    const issues = contractIssues(faulty);
    const line = lineOf(packagedRuntimeContractText, "label: HTTP framework");
    expect(issues).toContainEqual(
      expect.stringContaining(`${line}:5 FACT_UNKNOWN_KEY "lable" is not a known key here; accepted: label, help`),
    );
  });

  test.each([
    ["an unknown default", "default: express", "default: expres", '"expres" is not known; accepted: express'],
    [
      "a default environment that does not exist",
      "defaultEnvironment: dev",
      "defaultEnvironment: prod",
      '"prod" is not known; accepted: dev, staging, ci',
    ],
    [
      "an alias that names two environments",
      "aliases: [test]",
      "aliases: [test, development]",
      '"development" already names an environment',
    ],
    [
      "a profile with an unsupported value",
      "SVC_REALTIME_API_PROTOCOL: grpc",
      "SVC_REALTIME_API_PROTOCOL: http",
      '"http" is not known; accepted: websocket, grpc',
    ],
    ["a boolean for a text", 'default: "no"', "default: no", undefined],
    ["a number for a text", 'default: "no"', "default: 0", "keys.SVC_REALTIME_API.default"],
    [
      "a file outside the folder",
      "file: .env.ci",
      "file: ../.env.ci",
      "accepted: a file name without a folder, for example .env.dev",
    ],
    [
      "a secret that is shown",
      "tier: never-exposed,\n      kind: secret",
      "tier: read-only,\n      kind: text",
      "keys.SVC_JWT_TOKEN_SECRET_KEY.tier",
    ],
    ["a value twice", 'values: ["yes", "no"]', 'values: ["yes", "no", "yes"]', "a value is listed twice"],
    [
      "a duplicate key",
      "  SVC_REALTIME_API:\n",
      "  SVC_HTTP_FRAMEWORK:\n",
      '"SVC_HTTP_FRAMEWORK" appears twice, first at',
    ],
  ])("%s", (_, from, to, expected) => {
    expect(packagedRuntimeContractText).toContain(from);
    const issues = contractIssues((text) => text.replace(from, to));
    if (expected === undefined) expect(issues).toEqual([]);
    else expect(issues.join("\n")).toContain(expected);
  });
});

describe("a repository's own capability matrix", () => {
  test.each([
    ["cloudProviders: [self-hosted]", "cloudProviders: [moon]", '"moon" is not known; accepted: self-hosted, aws'],
    [
      "group: pm2-managed, selfHosted: true",
      "group: pm2, selfHosted: true",
      '"pm2" is not known; accepted: pm2-managed, functions',
    ],
    ["protocols: [http, grpc]", "protocols: [http, grcp]", '"grcp" is not known; accepted: http, websocket, grpc'],
    [
      "database: { key: SVC_DATABASE_DRIVER }",
      "database: { key: SVC_DATABASE_NAME }",
      '"SVC_DATABASE_NAME" is not known',
    ],
    ["dedicated: dedicated-server", "dedicated: bare-metal", '"bare-metal" is not known; accepted: dedicated-server'],
    ["serviceKind: rest-api", "serviceKind: rest", '"rest" is not known; accepted: rest-api, websocket-rest-api'],
    ["port: grpc, frameworks", "port: rpc, frameworks", "interfaceTypes.grpc.port"],
    [
      "frameworks: [grpc]",
      "frameworks: 1",
      "interfaceTypes.grpc.frameworks: 1 is not accepted; accepted: a list of names, or { key: SVC_... }",
    ],
  ])("%s -> %s", (from, to, expected) => {
    expect(matrixIssues((text) => text.replace(from, to)).join("\n")).toContain(expected);
  });
});
