import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bearer, createToken } from "../support/tokens.ts";
import { manualTelemetry, withTelemetry } from "./socket/hand-telemetry.ts";
import { open } from "./socket/support.ts";
import { ask, ENV, post, repository, testServer } from "./support.ts";

const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" } };

test("a token that is limited to services may change nothing after the services are gone", async () => {
  const files = repository();
  const project = join(files.root, "svcm.yaml");
  writeFileSync(project, "version: 1\nenvironments: { dev: [] }\nservices: { orders: { env: { dev: .env } } }\n");
  const token = await createToken(files.root, "bot", "editor", { services: ["orders"] });
  rmSync(project);
  const server = await testServer({ repository: files });
  const before = server.text("dev");
  const { status, json } = await post(server, SAVE, bearer(token));
  expect([status, json.code]).toEqual([403, "TOKEN_LIMITED"]);
  expect(json.details).toContain("a repository without services");
  expect(server.text("dev")).toBe(before);
});

describe("a token that is limited to an environment", () => {
  test.each<[string, number, string | undefined]>([
    ["dev", 200, undefined],
    ["development", 200, undefined],
    [" DEV ", 200, undefined],
    ["staging", 403, "TOKEN_LIMITED"],
    ["moon", 400, undefined],
  ])("writes %j: %i", async (environment, status, code) => {
    const files = repository();
    const token = await createToken(files.root, "bot", "editor", { environments: ["dev"] });
    const server = await testServer({ repository: files });
    const before = server.text("staging");
    const answer = await post(server, { ...SAVE, environment }, bearer(token));
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(server.text("staging")).toBe(before);
  });

  test("applies to the default environment of a request that names none", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "editor", { environments: ["dev"] });
    const server = await testServer({ repository: files, env: { NODE_ENV: "staging" } });
    const { json } = await post(server, { values: SAVE.values }, bearer(token));
    expect(json).toMatchObject({ code: "TOKEN_LIMITED", details: expect.stringContaining("environment staging") });
  });

  test("does not read or compare other environments if reads need a token, but reads shared data", async () => {
    const files = repository();
    const headers = bearer(await createToken(files.root, "bot", "viewer", { environments: ["dev"] }));
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-good-length" };
    const server = await testServer({
      repository: files,
      host: "0.0.0.0",
      env,
      world: withTelemetry(manualTelemetry()),
    });
    const statusOf = async (path: string) => (await ask(server, path, { headers })).status;
    expect(await statusOf(`${ENV}?environment=dev`)).toBe(200);
    expect(await statusOf(`${ENV}?environment=staging`)).toBe(403);
    expect(await statusOf(`${ENV}/diff?from=dev&to=staging`)).toBe(403);
    expect(await statusOf("/api/runtime/audit")).toBe(200);
    const client = await open(server, { headers });
    client.send({ type: "subscribe", environment: "staging" });
    expect((await client.next()).code).toBe("TOKEN_LIMITED");
    client.send({ type: "subscribe", environment: "dev" });
    expect((await client.next()).type).toBe("subscribed");
  });

  test("is refused, and the record has its name", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "editor", { environments: ["dev"] });
    const server = await testServer({ repository: files });
    await post(server, { ...SAVE, environment: "staging" }, bearer(token));
    const { records } = (await ask(server, "/api/runtime/audit?limit=1")).json;
    expect(records).toMatchObject([{ action: "env.write", actor: "bot", outcome: "refused", code: "TOKEN_LIMITED" }]);
  });
});
