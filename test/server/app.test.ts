import { expect, test } from "vitest";
import { nodePorts } from "../../src/core/index.ts";
import { buildApp } from "../../src/server/app.ts";
import { createIdentities } from "../../src/server/access.ts";
import { serverLog } from "../../src/server/log.ts";
import { ENV, repository } from "./support.ts";

function app(isLoopback: boolean) {
  const { root } = repository();
  const log = serverLog({ logLevel: "silent", logForm: undefined }, { write: () => undefined });
  const ports = nodePorts({ root, env: {}, cwd: root });
  const policy = { hosts: new Set<string>(), isLoopback, identities: createIdentities(ports, "a-token") };
  return buildApp({ ports, version: "1.2.3", policy, log });
}

test("the app answers without listening", async () => {
  const answer = await app(true).inject(`${ENV}?environment=ci`);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ environment: "ci", fileName: ".env.ci" });
});

test("the app applies its access rules without listening", async () => {
  const open = app(false);
  expect((await open.inject(ENV)).statusCode).toBe(401);
  expect((await open.inject({ url: ENV, headers: { authorization: "Bearer a-token" } })).statusCode).toBe(200);
  expect((await open.inject({ url: "/healthz", headers: { host: "evil.example" } })).statusCode).toBe(403);
  expect((await open.inject({ url: "//%zz", headers: { authorization: "Bearer a-token" } })).statusCode).toBe(400);
});
