/** Secrets are planted wherever one may appear by design or by mistake. No output may contain one. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { packagedRuntimeContract } from "../../src/core/project/facts/packaged.generated.ts";
import type { Ports } from "../../src/core/index.ts";
import { routes } from "../../src/server/routes.ts";
import { ask, ENV, JSON_TYPE, post, raw, repository, testServer, type TestResponse } from "./support.ts";
import { createToken } from "../support/tokens.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

let planted = 0;
const canaries: string[] = [];

/** A text that occurs only here. */
function canary(what: string): string {
  const secret = `canary${++planted}${what}x7Qz`;
  canaries.push(secret);
  return secret;
}

/** An env file with a secret in every place that has no visible value. */
function envFile(): string {
  const hidden = Object.entries(packagedRuntimeContract.keys).filter(([, { tier }]) => tier === "never-exposed");
  return [
    ...hidden.map(([key]) => `${key}=${canary("hidden")}`),
    `SVC_REDIS_PASSWORD='${canary("again")}'`,
    `# SVC_JWT_TOKEN_SECRET_KEY=${canary("comment")}`,
    `UNKNOWN_KEY=${canary("unknown")}`,
    `SVC_NOT_IN_THE_CONTRACT="${canary("foreign")}"`,
    `SVC_WEBSOCKET_REDIS_URL=redis://user:${canary("userinfo")}@127.0.0.1:6379`,
    `SVC_CORS_ALLOWED_ORIGINS=https://${canary("user")}:${canary("password")}@example.com,https://b.example?token=${canary("parameter")}`,
    `SVC_JWT_ISSUER=https://${canary("name")}@issuer.example`,
    `SVC_HTTP_FRAMEWORK=express`,
    `a line that assigns nothing ${canary("stray")}`,
    "",
  ].join("\n");
}

const TOKEN = canary("token");
const bearer = { authorization: `Bearer ${TOKEN}` };
const good = { values: { SVC_HTTP_FRAMEWORK: "fastify", UNKNOWN: canary("ignored") } };

function reads(): string[] {
  return [
    ...routes.filter(({ method }) => method === "GET").map(({ path }) => path),
    ...["dev", "development", "staging", "ci", "test"].flatMap((name) => [
      `${ENV}?environment=${name}`,
      `${ENV}/check?environment=${name}`,
    ]),
    `${ENV}/diff?from=dev&to=staging`,
    `${ENV}/diff?from=staging&to=dev`,
    `/${canary("path")}`,
    `/api/${canary("path")}?${canary("name")}=1`,
    `${ENV}?token=${canary("query")}`,
    `${ENV}?environment=dev&environment=${canary("second")}`,
    `/api/runtime/audit?limit=${canary("limit")}`,
    `//%zz${canary("malformed")}`,
  ];
}

function bodies(): (string | Uint8Array | object)[] {
  const values = (value: unknown) => ({ values: { SVC_WEBSOCKET_REDIS_URL: value } });
  return [
    good,
    values(`redis://user:${canary("userinfo")}@h`),
    values(`https://${canary("scheme")}@h`),
    values({ nested: canary("nested") }),
    values([canary("list")]),
    values(`redis://h\n${canary("break")}`),
    values(`redis://h?password=${canary("parameter")}`),
    { values: { SVC_JWT_TOKEN_SECRET_KEY: canary("written"), SVC_REDIS_PASSWORD: canary("written") } },
    { values: canary("text") },
    { environment: { a: canary("object") }, values: {} },
    `{"values":{"SVC_HTTP_FRAMEWORK":"${canary("cut")}`,
    canary("bare"),
    `{"values":{"SVC_HTTP_FRAMEWORK":"${canary("twice")}","SVC_HTTP_FRAMEWORK":"${canary("twice")}"}}`,
    `{"values":${'{"a":'.repeat(9)}"${canary("deep")}"${"}".repeat(9)}}`,
    Buffer.concat([Buffer.from(`{"a":"${canary("bytes")}`), Buffer.from([0xff, 0x22, 0x7d])]),
    `{"values":{"SVC_HTTP_FRAMEWORK":"${canary("large")}${"x".repeat(70_000)}"}}`,
  ];
}

const asText = ({ rawHeaders, text }: TestResponse): string => `${rawHeaders.join("\n")}\n${text}`;

/** All answers of the server. */
async function provoke(server: { port: number }): Promise<string[]> {
  const answers: TestResponse[] = [];
  for (const path of reads()) {
    for (const headers of [
      {},
      bearer,
      { authorization: `Bearer ${canary("wrong")}` },
      { cookie: canary("cookie"), "x-secret": canary("header") },
    ]) {
      answers.push(await ask(server, path, { headers }));
    }
    answers.push(await ask(server, path, { method: "DELETE", headers: bearer }));
  }
  for (const body of bodies()) {
    answers.push(
      await post(server, body, bearer),
      await post(server, body),
      await post(server, body, { ...bearer, "content-type": canary("type") }),
    );
  }
  const foreign = [
    { host: `${canary("host")}.example` },
    { origin: `http://${canary("origin")}` },
    { "sec-fetch-site": canary("site") },
    { "if-match": canary("tag") },
  ];
  for (const headers of foreign) answers.push(await post(server, good, { ...bearer, ...headers }));
  const broken = [
    `GET /${canary("line")} HTTP/9\r\n\r\n`,
    `${canary("method")} / HTTP/1.1\r\n\r\n`,
    `GET / HTTP/1.1\r\nX: ${canary("header").repeat(1_000)}\r\n\r\n`,
  ];
  return [...answers.map(asText), ...(await Promise.all(broken.map((bytes) => raw(server, bytes))))];
}

function expectNone(...texts: readonly string[]): void {
  const all = texts.join("\n");
  expect(canaries.filter((secret) => all.includes(secret))).toEqual([]);
}

const env = {
  SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN,
  SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "trace",
  SOME_PASSWORD: canary("environment"),
  NODE_OPTIONS: canary("options"),
};

test.each(firstOrAll(["127.0.0.1", "0.0.0.0"]))("no secret leaves a server on %s", async (host) => {
  const text = envFile();
  const files = repository({ ".env.dev": text, ".env.staging": envFile(), ".env.ci": text });
  vi.stubEnv("SVCM_TEST_SECRET", canary("process"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await testServer({ repository: files, env, host });
  const answers = await provoke(server);
  await server.close();
  expect(answers.length).toBeGreaterThan(150);
  expect(answers.join("")).toContain("redis://[REDACTED]@127.0.0.1:6379");
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
  expectNone(...answers, ...server.log, readFileSync(files.auditFile, "utf8"));
});

longTest("no secret leaves a server with an unreadable file, and a defect has its stack only in the log", async () => {
  const message = "the cause of a defect";
  const broken = (ports: Ports): Ports => ({
    ...ports,
    files: { ...ports.files, read: () => Promise.reject(new TypeError(message)) },
  });
  const server = await testServer({ repository: repository({}), env });
  const defective = await testServer({ repository: repository({}), env, world: broken });
  const answers = [...(await provoke(server)), ...(await provoke(defective))];
  const answer = await ask(defective, ENV);
  expect(answer.status).toBe(500);
  expect(answer.json).toEqual({ error: "Internal error.", code: "DEFECT", details: "This is a defect in svcm." });
  const logged = defective.log.map((line) => JSON.parse(line)).find(({ code }) => code === "DEFECT");
  expect(logged).toMatchObject({ level: 50, method: "GET", route: ENV, status: 500, msg: "request failed" });
  expect(logged.stack).toContain(message);
  expect(answers.join("")).not.toContain(message);
  expectNone(...answers, ...server.log, ...defective.log);
});

test("a viewer learns no secret of the deployments document, and not its length", async () => {
  const texts: string[] = [];
  for (const more of ["", "x".repeat(40)]) {
    const files = repository();
    const secret = canary("document") + more;
    const lines = [`  - { token: ${secret}, name: one, surplus: 1 }`, "  - name: two", `    pwd: "${secret}"`];
    const text = ["version: service-management.v1", `# password: ${secret}`, "deployments:", ...lines, ""].join("\n");
    writeFileSync(join(files.root, "deployments.yaml"), text);
    const token = await createToken(files.root, "vera", "viewer");
    const server = await testServer({ repository: files });
    const headers = { authorization: `Bearer ${token}` };
    const read = await ask(server, "/api/declarations", { headers });
    const [one, two] = read.json.document.deployments;
    const answers = [read];
    for (const deployments of [[], [one], [two], [{ ...one, region: "x" }, two], undefined])
      answers.push(await post(server, { document: { deployments } }, headers, "/api/declarations/plan"));
    expectNone(...answers.map(asText));
    texts.push(JSON.stringify(answers.map(({ text: answer }) => answer.replaceAll(files.root, ""))));
  }
  expect(texts[0]).toBe(texts[1]);
});

test("a refusal to start does not show the token", async () => {
  const short = canary("t").slice(0, 12);
  canaries.push(short);
  for (const token of [short, `${TOKEN}\n${TOKEN}`]) {
    const refused = await testServer({
      host: "0.0.0.0",
      env: { ...env, SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token },
    }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expectNone(String(refused), JSON.stringify(refused), String((refused as Error).stack));
  }
});

test("the search finds a planted secret", async () => {
  const server = await testServer({ repository: repository({ ".env.dev": `SVC_JWT_ISSUER=${canary("visible")}\n` }) });
  const answer = await ask(server, ENV, { headers: JSON_TYPE });
  expect(() => expectNone(asText(answer))).toThrow("visible");
});
