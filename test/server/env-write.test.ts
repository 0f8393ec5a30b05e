import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { envWrittenBody, failureBody } from "../../src/core/api/bodies.ts";
import { ask, ENV, post, sharedServer, testServer } from "./support.ts";

const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };

describe("a write", () => {
  test("answers with the new state, the changed keys and the ignored keys", async () => {
    const server = await testServer();
    const values = {
      SVC_HTTP_FRAMEWORK: "fastify",
      SVC_REALTIME_API: "yes",
      SVC_JWT_TOKEN_SECRET_KEY: "x",
      SVC_REDIS_HOST: "x",
      NOBODYS: "x",
    };
    const answer = await post(server, { environment: " Development ", values });
    expect(answer.status).toBe(200);
    envWrittenBody.parse(answer.json);
    expect(answer.json).toMatchObject({
      environment: "development",
      fileName: ".env.dev",
      values: { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API: "yes", SVC_REDIS_HOST: "127.0.0.1" },
      changedKeys: ["SVC_HTTP_FRAMEWORK"],
      ignoredKeys: ["SVC_JWT_TOKEN_SECRET_KEY", "SVC_REDIS_HOST", "NOBODYS"],
    });
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
    expect(server.text()).not.toContain("NOBODYS");
    const {
      changedKeys: _changed,
      ignoredKeys: _ignored,
      warnings,
      staleProcesses,
      overrides,
      elsewhere,
      ...state
    } = answer.json;
    expect({ warnings, staleProcesses, overrides, elsewhere }).toEqual({
      warnings: [],
      staleProcesses: [],
      overrides: [],
      elsewhere: [],
    });
    const read = await ask(server, `${ENV}?environment=development`);
    expect(read.json).toEqual(state);
    expect(read.headers.etag).toBe(answer.headers.etag);
  });

  test("changes only the line of the key, byte for byte, and keeps the mode", async () => {
    const server = await testServer();
    const [before, { mode }] = [server.text(), statSync(server.repository.envFile("dev"))];
    await post(server, fastify);
    expect(server.text()).toBe(before.replace("SVC_HTTP_FRAMEWORK=express", "SVC_HTTP_FRAMEWORK=fastify"));
    expect(statSync(server.repository.envFile("dev")).mode).toBe(mode);
  });

  test("that changes nothing does not write the file and leaves no record", async () => {
    const server = await testServer();
    const { ino, mtimeMs } = statSync(server.repository.envFile("dev"));
    const answer = await post(server, { values: { SVC_HTTP_FRAMEWORK: "express", UNKNOWN: "x" } });
    expect(answer.json).toMatchObject({ changedKeys: [], ignoredKeys: ["UNKNOWN"] });
    expect(statSync(server.repository.envFile("dev"))).toMatchObject({ ino, mtimeMs });
    expect((await ask(server, "/api/runtime/audit")).json).toEqual({ records: [], complete: true });
  });

  test("changes only the file of its environment", async () => {
    const server = await testServer();
    const before = [server.text("dev"), server.text("staging")];
    await post(server, { environment: "test", values: { SVC_HTTP_FRAMEWORK: "restify" } });
    expect([server.text("dev"), server.text("staging")]).toEqual(before);
    expect(server.text("ci")).toContain("SVC_HTTP_FRAMEWORK=restify\n");
  });

  test("leaves an audit record, which is also a line in the server's log", async () => {
    const server = await testServer();
    await post(server, fastify);
    const records = readFileSync(server.repository.auditFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const logged = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "audit");
    expect(records.map(({ outcome }) => outcome)).toEqual(["started", "succeeded"]);
    expect(logged.map(({ level: _level, time: _time, pid: _pid, msg: _msg, ...record }) => record)).toEqual(records);
  });

  test("a key __proto__ is refused and nothing is written; constructor is ignored like any other key outside the allowlist", async () => {
    const server = await testServer();
    const before = server.text();
    const refused = await post(server, '{"values":{"__proto__":"x","SVC_HTTP_FRAMEWORK":"fastify"}}');
    const details = "The body has a member named __proto__: values.__proto__. Accepted: any other name.";
    expect([refused.status, refused.json]).toEqual([400, { error: "Invalid payload.", details }]);
    expect(server.text()).toBe(before);
    const answer = await post(server, '{"values":{"constructor":"y","SVC_HTTP_FRAMEWORK":"fastify"}}');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ changedKeys: ["SVC_HTTP_FRAMEWORK"], ignoredKeys: ["constructor"] });
    expect(server.text()).not.toContain("constructor");
  });
});

describe("a bad value", () => {
  const unchanged = sharedServer();

  test("is refused with key, value and accepted values; all are reported together, and nothing is written", async () => {
    const server = await testServer();
    const before = server.text();
    const values = {
      SVC_HTTP_FRAMEWORK: "derby",
      SVC_DATABASE_DRIVER: "postgres",
      SVC_REALTIME_API: "yes",
      SVC_WEBSOCKET_REDIS_URL: "redis://u:hunter2@h",
    };
    const answer = await post(server, { values });
    expect(answer.status).toBe(400);
    failureBody.parse(answer.json);
    expect(answer.json.error).toBe("Invalid payload.");
    expect(answer.json.issues.map(({ path }: { path: string[] }) => path.join("."))).toEqual([
      "values.SVC_WEBSOCKET_REDIS_URL",
      "values.SVC_DATABASE_DRIVER",
      "values.SVC_HTTP_FRAMEWORK",
    ]);
    for (const word of ["SVC_HTTP_FRAMEWORK", '"derby"', "derby-js", "PostgreSQL", "redis://[REDACTED]@h"])
      expect(answer.json.details).toContain(word);
    expect(answer.text).not.toContain("hunter2");
    expect(server.text()).toBe(before);
  });

  test.each([
    ["a number", 1],
    ["a boolean", true],
    ["null", null],
    ["an object", {}],
    ["an array", ["yes"]],
    ["a line break", "yes\nSVC_JWT_ISSUER=x"],
    ["a lone carriage return", "yes\rX=1"],
    ["a line separator", "yes\u2028"],
    ["a null character", "yes\u0000"],
    ["broken Unicode", "yes\ud800"],
    ["white space around", " yes"],
    ["another case", "YES"],
    ["nothing", ""],
  ])("%s", async (_, value) => {
    const server = await unchanged();
    const before = server.text();
    const answer = await post(server, { values: { SVC_REALTIME_API: value } });
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: "Invalid payload." });
    expect(answer.json.issues[0].path).toEqual(["values", "SVC_REALTIME_API"]);
    expect(server.text()).toBe(before);
  });
});

describe("If-Match", () => {
  test("the tag of the current content is accepted once", async () => {
    const server = await testServer();
    const { etag = "" } = (await ask(server, ENV)).headers;
    expect((await post(server, fastify, { "if-match": etag })).status).toBe(200);
    const stale = await post(server, { values: { SVC_HTTP_FRAMEWORK: "restify" } }, { "if-match": etag });
    expect(stale.status).toBe(412);
    expect(stale.json).toMatchObject({ error: "Environment file changed.", code: "ENV_FILE_CHANGED" });
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
  });

  test.each(["*", '"x", *'])("If-Match %s accepts any content", async (tag) => {
    expect((await post(await testServer(), fastify, { "if-match": tag })).status).toBe(200);
  });

  test.each(['"x"', "", "x", 'W/"x"'])("If-Match %j accepts no content", async (tag) => {
    expect((await post(await testServer(), fastify, { "if-match": tag })).status).toBe(412);
  });

  test("the answer has the tag of the new content", async () => {
    const server = await testServer();
    const { etag = "" } = (await post(server, fastify)).headers;
    expect((await post(server, { values: { SVC_HTTP_FRAMEWORK: "restify" } }, { "if-match": etag })).status).toBe(200);
  });
});

test("a failed write does not change the file, and the server keeps working", async () => {
  const server = await testServer();
  const before = server.text();
  rmSync(server.repository.auditFile, { force: true });
  mkdirSync(server.repository.auditFile, { recursive: true });
  expect((await post(server, fastify)).status).toBe(500);
  expect(server.text()).toBe(before);
  rmSync(server.repository.auditFile, { recursive: true });
  expect((await post(server, fastify)).status).toBe(200);
});
