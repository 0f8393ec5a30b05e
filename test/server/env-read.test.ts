import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, ENV, testServer } from "./support.ts";

describe("GET /api/runtime/env", () => {
  test("shows every key of the two visible tiers, with defaults for missing keys", async () => {
    const server = await testServer();
    const { json } = await ask(server, `${ENV}?environment=ci`);
    expect(Object.keys(json.values)).toHaveLength(23);
    expect(json.values).toMatchObject({
      SVC_KEYVALUESTORAGE_DRIVER: "inmemory",
      SVC_WEBSOCKET_REDIS_URL: "",
      SVC_REDIS_HOST: "",
    });
  });

  test("returns the new content after the file changes", async () => {
    const server = await testServer();
    for (const name of ["fastify", "express", "express", "restify"]) {
      writeFileSync(server.repository.envFile("dev"), `SVC_HTTP_FRAMEWORK=${name}\n`);
      const [first, again] = [await ask(server, ENV), await ask(server, `${ENV}?environment=development`)];
      expect([first.json.values.SVC_HTTP_FRAMEWORK, again.json.values.SVC_HTTP_FRAMEWORK]).toEqual([name, name]);
      expect([first.json.environment, again.json.environment]).toEqual(["dev", "development"]);
      expect(first.headers.etag).toBe(again.headers.etag);
    }
  });

  test("returns the new keys after the contract changes", async () => {
    const server = await testServer();
    const before = await ask(server, ENV);
    const source = readFileSync(join(import.meta.dirname, "../../config/runtime-contract.yaml"), "utf8");
    mkdirSync(join(server.repository.root, "config"));
    writeFileSync(
      join(server.repository.root, "config/runtime-contract.yaml"),
      source.replace(
        "SVC_JWT_ISSUER: { tier: read-only, kind: text",
        "SVC_JWT_ISSUER: { tier: never-exposed, kind: secret",
      ),
    );
    const after = await ask(server, ENV);
    expect(Object.keys(before.json.values)).toContain("SVC_JWT_ISSUER");
    expect(Object.keys(after.json.values)).not.toContain("SVC_JWT_ISSUER");
  });

  test("answers with 500, code and path if the file is missing", async () => {
    const server = await testServer();
    const path = server.repository.envFile("dev");
    rmSync(path);
    const answer = await ask(server, ENV);
    expect(answer.status).toBe(500);
    expect(answer.json).toMatchObject({
      error: "Environment file operation failed.",
      code: "ENV_FILE_NOT_FOUND",
      path,
    });
    expect((await ask(server, "/healthz")).status).toBe(200);
  });
});
