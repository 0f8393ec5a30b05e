/** Each route and each frame with each role, with tokens of a repository and real sockets. */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { roles, type Role } from "../../src/core/api/rights.ts";
import { execute, isGranted, rightsOf, tokenRevoke } from "../../src/core/index.ts";
import { routes } from "../../src/server/routes.ts";
import { whenTestsOver, type WhenOver } from "../support/temporary-folder.ts";
import { bearer, createToken } from "../support/tokens.ts";
import { manualTelemetry, withTelemetry } from "./socket/hand-telemetry.ts";
import { open } from "./socket/support.ts";
import { ask, ENV, post, repository, testServer, type TestServer } from "./support.ts";

const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const ME = "/api/me";

interface WithTokens {
  readonly server: TestServer;
  readonly tokenOf: (role: Role) => string;
}

async function withTokens(whenOver?: WhenOver): Promise<WithTokens> {
  const files = repository(undefined, whenOver);
  // A refused action is recorded there if the folder exists.
  mkdirSync(join(files.root, ".pm2"));
  const tokens = new Map<Role, string>();
  for (const role of roles) tokens.set(role, await createToken(files.root, `${role}-bot`, role));
  const server = await testServer({ repository: files, world: withTelemetry(manualTelemetry()) }, whenOver);
  return { server, tokenOf: (role) => tokens.get(role) ?? "" };
}

/** For all tests that change nothing. */
const whenAllOver = whenTestsOver();
let started: Promise<WithTokens> | undefined;
const unchanged = () => (started ??= withTokens(whenAllOver));

async function revoke(server: TestServer, name: string): Promise<void> {
  const { nodePorts } = await import("../../src/core/index.ts");
  const { root } = server.repository;
  const ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
  await execute(tokenRevoke, ports, { name }, { source: "cli", grants: rightsOf.admin });
}

const operationRoutes = routes.flatMap((route) => ("operation" in route ? [route] : []));

describe.each(roles)("over HTTP, the role %s", (role) => {
  test("may use only the routes that the table of rights permits", async () => {
    const { server, tokenOf } = await unchanged();
    for (const { method, path, operation } of operationRoutes) {
      // No operation accepts a list, so a permitted change is refused because of its body.
      const body = method === "POST" ? { body: "[]" } : {};
      const headers = { "content-type": "application/json", ...bearer(tokenOf(role)) };
      const { status, json } = await ask(server, path, { method, headers, ...body });
      const isRefused = status === 403 && json.code === "RIGHT_MISSING";
      expect([operation.id, isRefused, status === 401]).toEqual([
        operation.id,
        !isGranted(rightsOf[role], operation.access),
        false,
      ]);
    }
  });

  test("is returned by GET /api/me", async () => {
    const { server, tokenOf } = await unchanged();
    expect((await ask(server, ME, { headers: bearer(tokenOf(role)) })).json).toEqual({
      actor: `${role}-bot`,
      role,
      rights: rightsOf[role],
    });
  });
});

describe.each(roles)("over the WebSocket, the role %s", (role) => {
  test("may watch, and may act only if the table of rights permits it", async () => {
    const { server, tokenOf } = await unchanged();
    const client = await open(server, { headers: bearer(tokenOf(role)) });
    client.send({ type: "subscribe" });
    expect((await client.next()).type).toBe("subscribed");
    client.send({ type: "action", action: "stop", name: "nothing" });
    const { code } = await client.next("action-result");
    expect(code === "RIGHT_MISSING").toBe(!isGranted(rightsOf[role], "act"));
    expect(code).not.toBe("UNAUTHORIZED");
  });
});

describe("records", () => {
  const recordsOf = async (server: TestServer) =>
    (await ask(server, "/api/runtime/audit?limit=20")).json.records as Record<string, unknown>[];

  test("a change has the name of its token", async () => {
    const { server, tokenOf } = await withTokens();
    expect((await post(server, SAVE, bearer(tokenOf("editor")))).status).toBe(200);
    expect((await recordsOf(server))[0]).toMatchObject({
      action: "env.write",
      actor: "editor-bot",
      outcome: "succeeded",
    });
  });

  test("a refused attempt has the name of its token and the address", async () => {
    const { server, tokenOf } = await withTokens();
    const before = server.text();
    expect((await post(server, SAVE, bearer(tokenOf("operator")))).status).toBe(403);
    const client = await open(server, { headers: bearer(tokenOf("viewer")) });
    client.send({ type: "action", action: "stop", name: "nothing" });
    await client.next("action-result");
    expect((await recordsOf(server)).slice(0, 2)).toMatchObject([
      {
        action: "process.stop",
        actor: "viewer-bot",
        source: "ws",
        outcome: "refused",
        code: "RIGHT_MISSING",
        address: "127.0.0.1",
      },
      {
        action: "env.write",
        actor: "operator-bot",
        source: "http",
        outcome: "refused",
        code: "RIGHT_MISSING",
        address: "127.0.0.1",
      },
    ]);
    expect(server.text()).toBe(before);
  });
});

describe("without a token", () => {
  test("the first token protects changes, also on open sockets, and leaves reads on loopback open", async () => {
    const server = await testServer({ world: withTelemetry(manualTelemetry()) });
    const client = await open(server);
    client.send({ type: "action", action: "stop", name: "nothing" });
    expect((await client.next("action-result")).code).not.toBe("UNAUTHORIZED");
    await createToken(server.repository.root, "bot", "viewer");
    expect((await post(server, SAVE)).status).toBe(401);
    expect((await ask(server, ENV)).status).toBe(200);
    client.send({ type: "action", action: "stop", name: "nothing" });
    expect((await client.next("action-result")).code).toBe("UNAUTHORIZED");
  });

  test("changes stay protected after the last token is revoked", async () => {
    const server = await testServer();
    const token = await createToken(server.repository.root, "bot", "editor");
    await revoke(server, "bot");
    expect((await post(server, SAVE)).status).toBe(401);
    expect((await post(server, SAVE, bearer(token))).status).toBe(401);
  });

  test("GET /api/me calls the caller anonymous; a wrong token is refused there", async () => {
    const { server } = await unchanged();
    expect((await ask(server, ME)).json).toEqual({ actor: "anonymous", role: null, rights: ["read"] });
    expect((await ask(server, ME, { headers: bearer("wrong") })).status).toBe(401);
  });

  test("a caller on loopback without any token may do everything except manage tokens", async () => {
    const server = await testServer();
    expect((await ask(server, ME)).json.rights).toEqual(["read", "logs", "act", "write"]);
    expect((await post(server, { name: "x", role: "admin" }, {}, "/api/tokens")).status).toBe(401);
  });
});

describe("a token that is no longer valid", () => {
  test("is refused after it expires", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "editor", { expiresInMs: 60_000 });
    let now = Date.now();
    const server = await testServer({
      repository: files,
      world: (ports) => ({ ...ports, clock: { ...ports.clock, now: () => now } }),
    });
    expect((await post(server, SAVE, bearer(token))).status).toBe(200);
    now += 60_001;
    expect((await post(server, SAVE, bearer(token))).status).toBe(401);
  });

  test("can no longer act over a socket that it opened", async () => {
    const { server, tokenOf } = await withTokens();
    const client = await open(server, { headers: bearer(tokenOf("operator")) });
    await revoke(server, "operator-bot");
    client.send({ type: "action", action: "stop", name: "nothing" });
    expect((await client.next("action-result")).code).toBe("UNAUTHORIZED");
  });

  test("ends its socket if reads need a token", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "viewer");
    const server = await testServer({
      repository: files,
      host: "0.0.0.0",
      env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-good-length" },
      limits: { heartbeatMs: 20 },
      world: withTelemetry(manualTelemetry()),
    });
    const client = await open(server, { headers: bearer(token) });
    await revoke(server, "bot");
    expect(await client.closed).toEqual({ code: 1008, reason: "UNAUTHORIZED" });
  });
});

test("ten wrong tokens delay the next one, also if only the repository has tokens", async () => {
  const { server, tokenOf } = await withTokens();
  for (let attempt = 1; attempt <= 10; attempt += 1)
    expect((await post(server, SAVE, bearer("wrong"))).status).toBe(401);
  const { status, headers } = await post(server, SAVE, bearer(tokenOf("editor")));
  expect([status, Number(headers["retry-after"]) > 50]).toEqual([429, true]);
});

describe("tokens over HTTP", () => {
  test("an admin creates, lists and revokes them; only the first answer has the token", async () => {
    const { server, tokenOf } = await withTokens();
    const admin = bearer(tokenOf("admin"));
    const { json: created } = await post(
      server,
      { name: "new", role: "editor", environments: ["development"] },
      admin,
      "/api/tokens",
    );
    expect(created).toMatchObject({
      name: "new",
      role: "editor",
      environments: ["dev"],
      token: expect.stringMatching(/^svcm_/),
    });
    expect((await post(server, SAVE, bearer(created.token))).status).toBe(200);
    const list = await ask(server, "/api/tokens", { headers: admin });
    expect(list.json.tokens.map(({ name }: { name: string }) => name)).toContain("new");
    expect(list.text).not.toContain(created.token);
    expect((await post(server, { name: "new" }, admin, "/api/tokens/revoke")).json).toEqual({ name: "new" });
    expect((await post(server, SAVE, bearer(created.token))).status).toBe(401);
    expect(server.log.join("")).not.toContain(created.token);
  });

  test("an admin with limits cannot manage tokens, because it could extend its own limits", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "admin", { environments: ["dev"] });
    const server = await testServer({ repository: files });
    const { status, json } = await post(server, { name: "x", role: "admin" }, bearer(token), "/api/tokens");
    expect([status, json.code]).toEqual([403, "TOKEN_LIMITED"]);
  });
});

describe("a token file that cannot be trusted", () => {
  test("keeps the server from starting", async () => {
    const files = repository();
    await createToken(files.root, "bot", "viewer");
    chmodSync(join(files.root, ".svcm/tokens.json"), 0o644);
    await expect(testServer({ repository: files })).rejects.toMatchObject({
      kind: "START_REFUSED",
      body: { details: expect.stringContaining("chmod 600") },
    });
  });

  test("permits nothing while the server runs", async () => {
    const { server, tokenOf } = await withTokens();
    chmodSync(join(server.repository.root, ".svcm/tokens.json"), 0o644);
    expect((await post(server, SAVE, bearer(tokenOf("admin")))).status).toBe(401);
    expect((await post(server, SAVE)).status).toBe(401);
  });
});
