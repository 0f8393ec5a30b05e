import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { deploymentsVerdictBody } from "../../src/core/api/bodies.ts";
import { post, testServer } from "./support.ts";

const PATH = "/api/validate";

describe("POST /api/validate", () => {
  test("finds this repository's own document valid", async () => {
    const document: unknown = parse(readFileSync(new URL("../../deployments.yaml", import.meta.url), "utf8"));
    const answer = await post(await testServer(), document, {}, PATH);
    expect(answer.status).toBe(200);
    expect(deploymentsVerdictBody.parse(answer.json)).toEqual({ valid: true, issues: [] });
  });

  test("reports every issue at once, with its path, and writes nothing", async () => {
    const server = await testServer();
    const document = {
      serviceConfiguration: {
        serviceKind: "rest-api",
        runMode: "functions",
        cloudProvider: "self-hosted",
        ports: { rest: "3000" },
      },
      deployments: [{ name: "old", type: "dedicated", runtime: "latest" }],
      deploymnets: [],
    };
    const answer = await post(server, document, {}, PATH);
    expect(answer.status).toBe(200);
    const { valid, issues } = deploymentsVerdictBody.parse(answer.json);
    expect(valid).toBe(false);
    expect(issues.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([
      "CONFIG_PROVIDER_UNSUPPORTED serviceConfiguration.cloudProvider",
      "SUITE_UNKNOWN_KEY deploymnets",
      "TARGET_RUNTIME_INVALID deployments.0.runtime",
    ]);
  });

  test.each([
    ["[]", 400],
    ['"text"', 400],
    ["{", 400],
    ['{"deployments":[],"deployments":[]}', 400],
    ['{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}}', 400],
    [`{"x":"${"y".repeat(4 * 2 ** 20)}"}`, 413],
  ])("%.40s is refused with %i", async (body, status) => {
    const answer = await post(await testServer(), body, {}, PATH);
    expect(answer.status).toBe(status);
  });
});
