/** One document with an error in each section, reported in every format of `svcm validate`. */
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const DOCUMENT = `version: service-management.v1
serviceConfiguration: { serviceKind: rest-api, runMode: functions, cloudProvider: self-hosted, ports: { rest: 3000 } }
interfaces:
  - { type: grpc, framework: express, entrypoint: src/interface/a.ts, controller: AController.list }
deployments:
  - name: good
    runtime: node20
    serviceType: restapi
    deployTarget: dedicated-server
    runtimeProtocol: http
    databaseDriver: InMemory
    keyValueDriver: redis
    pm2Profile: dev
  - name: bad
    region: eu-1
    runtime: latest
    serviceType: restapi
    deployTarget: vm
    runtimeProtocol: http
    databaseDriver: InMemory
    keyValueDriver: redis
    pm2Profile: dev
`;

const ERRORS = [
  ["CONFIG_PROVIDER_UNSUPPORTED", 2],
  ["INTERFACE_FRAMEWORK_UNSUPPORTED", 4],
  ["TARGET_RUNTIME_INVALID", 16],
] as const;

async function validate(...args: string[]): Promise<string> {
  const { root } = makeWorkspace({ "deployments.yaml": DOCUMENT });
  const { code, stdout, stderr } = await svcm(args, { root });
  expect([code, stderr]).toEqual([1, ""]);
  return stdout;
}

/** The test cases of a JUnit report with the text of their failure, or `undefined` if a case passes. */
function junitCases(xml: string): Record<string, string | undefined> {
  const cases: Record<string, string | undefined> = {};
  const parser = new SaxesParser({ xmlns: false });
  let open = "";
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "testcase") cases[(open = String(attributes["name"]))] = undefined;
    if (name === "failure") cases[open] = String(attributes["type"]);
  });
  parser.write(xml).close();
  return cases;
}

describe("an error in a target, an interface or the configuration", () => {
  test("is shown with its line by --format text", async () => {
    const text = await validate("validate");
    for (const [code, line] of ERRORS) expect(text).toMatch(new RegExp(`deployments.yaml:${line}:.*${code}`, "s"));
  });

  test("is an issue in the output of --json", async () => {
    const { valid, issues } = JSON.parse(await validate("validate", "--json")) as {
      valid: boolean;
      issues: { code: string; at: { line: number } }[];
    };
    expect([valid, issues.map(({ code, at }) => [code, at.line])]).toEqual([false, ERRORS]);
  });

  test("is an annotation of --format github", async () => {
    const lines = (await validate("validate", "--format", "github")).split("\n");
    for (const [code, line] of ERRORS) {
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^::error file=deployments.yaml,line=${line},.*${code}`)),
      );
    }
  });

  test("is a result of --format sarif", async () => {
    const { runs } = JSON.parse(await validate("validate", "--format", "sarif")) as {
      runs: [
        {
          results: { ruleId: string; locations: [{ physicalLocation: { region: { startLine: number } } }] }[];
        },
      ];
    };
    const results = runs[0].results.map(({ ruleId, locations }) => [
      ruleId,
      locations[0].physicalLocation.region.startLine,
    ]);
    expect(results).toEqual(ERRORS);
  });

  test("fails the test case of its target, or of the file, in --format junit", async () => {
    expect(junitCases(await validate("validate", "--format", "junit"))).toEqual({
      "deployments.yaml": "CONFIG_PROVIDER_UNSUPPORTED",
      good: undefined,
      bad: "TARGET_RUNTIME_INVALID",
    });
    expect(junitCases(await validate("targets", "validate", "--format", "junit"))).toEqual({
      "deployments.yaml": undefined,
      good: undefined,
      bad: "TARGET_RUNTIME_INVALID",
    });
  });
});
