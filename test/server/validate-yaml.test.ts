import { describe, expect, test } from "vitest";
import { deploymentsVerdictBody } from "../../src/core/api/bodies.ts";
import { hostileDocuments } from "../support/hostile-documents.ts";
import { ask, ENV, JSON_TYPE, post, rawConnection, sharedServer, testServer, type TestResponse } from "./support.ts";
import { everyThirdOrAll, longTest } from "../support/runs.ts";

const PATH = "/api/validate";
const YAML_TYPE = { "content-type": "application/yaml" };
const LIMIT = 65_536;

/** The route reads no file and writes none. */
const running = sharedServer();

async function validate(text: string | Uint8Array, headers = {}): Promise<TestResponse> {
  return post(await running(), text, { ...YAML_TYPE, ...headers }, PATH);
}

function issuesOf({ json }: TestResponse): string[] {
  return deploymentsVerdictBody.parse(json).issues.map(({ code, at }) => `${code} ${at?.line}:${at?.column}`);
}

const TARGET = `region: eu
    runtime: node22
    serviceType: restapi
    deployTarget: ec2
    runtimeProtocol: http
    databaseDriver: InMemory
    keyValueDriver: redis
    pm2Profile: dev`;
const YAML = `version: !!str service-management.v1
deployments:
  - &one
    name: >-
      eu
      west
    ${TARGET}
runtimeEnvironment: dev
`;

describe("the server reads", () => {
  test("the complete language: block scalars, tags, anchors and aliases, which are expanded", async () => {
    const answer = await validate(`${YAML}interfaces: [&i {type: grpc, framework: grpc}, *i]\n`);
    const { valid, issues, document } = deploymentsVerdictBody.parse(answer.json);
    expect({ status: answer.status, valid }).toEqual({ status: 200, valid: false });
    expect(issues.every(({ path: [section] }) => section === "interfaces")).toBe(true);
    expect(document).toMatchObject({
      version: "service-management.v1",
      deployments: [{ name: "eu west", deployTarget: "ec2" }],
      interfaces: [
        { type: "grpc", framework: "grpc" },
        { type: "grpc", framework: "grpc" },
      ],
    });
  });

  test.each([
    ["as it is", YAML],
    ["with a byte order mark", `\uFEFF${YAML}`],
    ["with CRLF", YAML.replaceAll("\n", "\r\n")],
    ["that is JSON", JSON.stringify({ deployments: [] })],
    ["in plain style", "deployments: []\n"],
  ])("a valid document %s", async (_, text) => {
    const { valid, issues, document } = deploymentsVerdictBody.parse((await validate(text)).json);
    expect({ valid, issues }).toEqual({ valid: true, issues: [] });
    expect(document).toHaveProperty("deployments");
  });

  test("every spelling of the media type", async () => {
    const answer = await validate(YAML, { "content-type": 'Application/YAML ; charset="UTF-8"' });
    expect(answer.json.valid).toBe(true);
  });

  test("markup in the answer is returned as data", async () => {
    const answer = await validate("x: &x </script>\ny: *x\n");
    expect(answer.json.document).toEqual({ x: "</script>", y: "</script>" });
    expect(answer.text).not.toContain("<");
  });
});

describe("issues have their position in the text", () => {
  test.each([
    ["a broken text", 'version: "service\n', "YAML_SYNTAX 2:1"],
    ["a duplicate key", "deployments: []\r\ninterfaces: []\r\ndeployments: []\r\n", "YAML_DUPLICATE_KEY 3:1"],
    ["a duplicate key after a byte order mark", "\uFEFFversion: 1\nversion: 1\n", "YAML_DUPLICATE_KEY 2:1"],
    ["several documents", "version: service-management.v1\n---\nb: 1\n", "YAML_MULTIPLE_DOCUMENTS 2:1"],
    ["an unknown tag", "deployments: !mine []\n", "YAML_TAG 1:14"],
    ["a merge key", "a: &a {}\nb:\n  <<: *a\n", "YAML_KEY 3:3"],
    ["a prototype", "__proto__: &a {}\n", "YAML_KEY 1:1"],
    ["an alias of nothing", "deployments: *a\n", "YAML_ALIAS 1:14"],
    ["deep nesting", `a: &a 1\nb: ${"[".repeat(17)}${"]".repeat(17)}\n`, "YAML_DEPTH 2:20"],
    ["deeper nesting", "[".repeat(LIMIT), "YAML_DEPTH 1:101"],
    ["nothing", "# nothing\n", "YAML_EMPTY 1:1"],
    ["no text at all", "", "YAML_EMPTY 1:1"],
  ])("%s, and no document is returned", async (_, text, issue) => {
    const answer = await validate(text);
    expect({ status: answer.status, issues: issuesOf(answer) }).toEqual({ status: 200, issues: [issue] });
    expect(answer.json).toMatchObject({ valid: false, issues: [{ at: { file: "deployments.yaml" } }] });
    expect(answer.json).not.toHaveProperty("document");
  });

  test("a document with findings is returned as well", async () => {
    const answer = await validate("x: &x 1\ndeployments:\n  - name: a\n    runtime: latest\n");
    expect(issuesOf(answer)).toContain("TARGET_RUNTIME_INVALID 4:14");
    expect(issuesOf(answer)[0]).toBe("SUITE_UNKNOWN_KEY 1:1");
    expect(answer.json.document).toEqual({ x: 1, deployments: [{ name: "a", runtime: "latest" }] });
  });

  test("a document that is not a map is one issue", async () => {
    const answer = await validate("- &a 1\n");
    expect(issuesOf(answer)).toEqual(["SUITE_SHAPE 1:1"]);
    expect(answer.json.document).toEqual([1]);
  });

  test.each([".inf", "-.inf", ".nan"])("%s, which JSON does not have, and there is no document", async (number) => {
    const answer = await validate(`serviceConfiguration:\n  serviceKind: rest-api\n  ports: {rest: ${number}}\n`);
    expect(answer.json.valid).toBe(false);
    expect(issuesOf(answer).join()).toContain(" 3:17");
    expect(answer.json).not.toHaveProperty("document");
  });
});

describe("the server refuses", () => {
  test("an alias bomb of many nodes, and one of few long nodes", async () => {
    const long = `a: &a ${"x".repeat(LIMIT / 2)}\nb:\n${"- *a\n".repeat(6_000)}`;
    for (const text of [hostileDocuments["an alias bomb"]?.(2_000) ?? "", long]) {
      const answer = await validate(text);
      expect({ status: answer.status, isShort: answer.text.length < 10_000 }).toEqual({ status: 200, isShort: true });
      expect(answer.json).toMatchObject({ valid: false, issues: [{ code: "YAML_ALIAS" }] });
    }
  });

  const documents = Object.entries(hostileDocuments);
  longTest.each(everyThirdOrAll(documents))("%s without crashing", async (_, make) => {
    const server = await running();
    const answer = await post(server, Buffer.from(make(LIMIT)).subarray(0, LIMIT), YAML_TYPE, PATH);
    expect([200, 400]).toContain(answer.status);
    expect(answer.text.length).toBeLessThan(256 * LIMIT);
    expect((await ask(server, "/healthz")).status).toBe(200);
  });

  longTest("a body over 4 MiB, one with a length and one in chunks", async () => {
    expect((await validate("#".repeat(LIMIT))).status).toBe(200);
    const tooMuch = "#".repeat(4 * 2 ** 20 + 1);
    expect((await validate(tooMuch.slice(1))).status).toBe(200);
    expect((await validate(tooMuch)).status).toBe(413);
    expect((await validate(tooMuch, { "transfer-encoding": "chunked" })).status).toBe(413);
  });

  test.each([
    ["UTF-16", Buffer.from("\uFEFFa: 1\n", "utf16le"), /UTF-16/],
    ["no UTF-8", Uint8Array.from([0x61, 0x3a, 0x0a, 0xff]), /byte offset 3, in line 2/],
  ])("bytes that are %s", async (_, bytes, words) => {
    const answer = await validate(bytes);
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: "Invalid payload." });
    expect(answer.json.details).toMatch(words);
  });

  test.each(["text/plain", "text/yaml", "application/x-yaml", "application/yaml; charset=latin1", "application/yamlx"])(
    "%s, and both accepted types are named",
    async (type) => {
      const answer = await validate(YAML, { "content-type": type });
      expect(answer).toMatchObject({
        status: 415,
        json: { details: "Accepted: Content-Type: application/json or application/yaml." },
      });
    },
  );

  test("YAML on a route that accepts only JSON", async () => {
    const answer = await post(await running(), "values: {}\n", YAML_TYPE, ENV);
    expect(answer).toMatchObject({ status: 415, json: { details: "Accepted: Content-Type: application/json." } });
  });

  test("another site, whose browser sends a preflight request", async () => {
    const server = await running();
    const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    expect((await post(server, YAML, { ...YAML_TYPE, ...foreign }, PATH)).status).toBe(403);
    const preflightHeaders = {
      ...foreign,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    };
    const preflight = await ask(server, PATH, { method: "OPTIONS", headers: preflightHeaders });
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("an unknown query parameter", async () => {
    const answer = await post(await running(), YAML, YAML_TYPE, `${PATH}?file=x`);
    expect(answer).toMatchObject({ status: 400, json: { error: "Invalid request." } });
  });

  test("a client without a token on an address other than loopback", async () => {
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "t".repeat(32) };
    const server = await testServer({ env, host: "0.0.0.0" });
    expect((await post(server, YAML, YAML_TYPE, PATH)).status).toBe(401);
    const bearer = { authorization: `Bearer ${"t".repeat(32)}` };
    expect((await post(server, YAML, { ...YAML_TYPE, ...bearer }, PATH)).json.valid).toBe(true);
  });
});

test("JSON is answered without a document", async () => {
  const server = await running();
  expect((await post(server, {}, JSON_TYPE, PATH)).text).toBe('{"valid":true,"issues":[]}');
  // An object in JSON is never read as bytes.
  expect((await post(server, { 0: 97, length: 1 }, JSON_TYPE, PATH)).json).not.toHaveProperty("document");
});

test("a kept-alive connection can be used again after a refusal", async () => {
  const { socket, ended } = rawConnection(await running());
  const request = (type: string, more = ""): string =>
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 2\r\n${more}\r\n{}`;
  socket.write(request("text/yaml"));
  socket.write(request("application/yaml", "Connection: close\r\n"));
  expect([...(await ended).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["415", "200"]);
});
