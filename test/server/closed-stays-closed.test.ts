/** A right that ends, ends everything that it opened; and a server with tokens never opens itself. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NATS_USER_CREDENTIALS } from "../../src/core/api/names.ts";
import { type Operation, execute, nodePorts, rightsOf, tokenRevoke } from "../../src/core/index.ts";
import type { FleetClient } from "../../src/server/fleet.ts";
import { NATS_USER_CREDENTIALS as ofFleet } from "../../src/fleet/settings.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { quietApp } from "../support/quiet-app.ts";
import { bearer, createToken } from "../support/tokens.ts";
import { open } from "./socket/support.ts";
import { ask, ENV, post, repository, testServer, type Repository, type ServerOptions } from "./support.ts";
import { longTest } from "../support/runs.ts";

const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const real = pm2();
let path = "";
beforeAll(async () => {
  await real.startDaemon();
  path = await quietApp(real, "api", "first\n");
});
afterAll(() => real.end());

function start(files: Repository, more: ServerOptions = {}) {
  const env = { PM2_HOME: real.home, HOME: files.root, PATH: process.env["PATH"] ?? "" };
  return testServer({ repository: files, limits: { heartbeatMs: 20 }, ...more, env: { ...env, ...more.env } });
}

async function revoke({ root }: Repository, name: string): Promise<void> {
  const ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
  await execute(tokenRevoke, ports, { name }, { source: "cli", grants: rightsOf.admin });
}

describe("on loopback, where reads are open", () => {
  test("a log stream ends when its token is revoked, and the socket may still read", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "operator");
    const client = await open(await start(files), { headers: bearer(token) });
    client.send({ type: "logs.subscribe", apps: ["api"], requestId: "7" });
    await client.next("logs");
    await revoke(files, "bot");
    expect(await client.next("error")).toMatchObject({ code: "UNAUTHORIZED", requestId: "7" });
    appendFileSync(path, "after\n");
    client.send({ type: "ping" });
    expect((await client.next()).type).toBe("pong");
    expect(client.texts.join("")).not.toContain("after");
  });

  longTest("it ends when its token expires, and when the first token closes an open server", async () => {
    const files = repository();
    let now = Date.now();
    const server = await start(files, {
      world: (ports) => ({ ...ports, clock: { ...ports.clock, now: () => now } }),
    });
    const client = await open(server);
    client.send({ type: "logs.subscribe", apps: ["api"], tail: 0 });
    await client.next("logs");
    const token = await createToken(files.root, "bot", "operator", { expiresInMs: 60_000 });
    expect(await client.next("error")).toMatchObject({ code: "UNAUTHORIZED" });
    client.send({ type: "logs.subscribe", apps: ["api"], tail: 0, token });
    await client.next("logs");
    now += 120_000;
    expect(await client.next("error")).toMatchObject({ code: "UNAUTHORIZED" });
  });

  longTest("each subscription has the right of the token that it was made with", async () => {
    const files = repository();
    const [strong, weak] = [
      await createToken(files.root, "a", "operator"),
      await createToken(files.root, "b", "viewer"),
    ];
    const client = await open(await start(files), { headers: bearer(weak) });
    client.send({ type: "logs.subscribe", tail: 0, token: strong });
    await client.next("logs");
    client.send({ type: "events.subscribe", token: weak });
    await client.next("events.subscribed");
    await revoke(files, "a");
    expect(await client.next("error")).toMatchObject({ code: "UNAUTHORIZED" });
  });
});

describe("a server that has seen tokens", () => {
  test("stays closed when their file goes, says so once, and opens only when it starts again", async () => {
    const files = repository();
    const token = await createToken(files.root, "bot", "admin");
    const server = await start(files, { env: { SVC_SERVICE_MANAGEMENT_PUBLIC_URL: "https://ops.example.com" } });
    expect([(await ask(server, ENV)).status, (await post(server, SAVE)).status]).toEqual([401, 401]);
    rmSync(join(files.root, ".svcm"), { recursive: true });
    expect([(await ask(server, ENV)).status, (await post(server, SAVE)).status]).toEqual([401, 401]);
    expect((await post(server, SAVE, bearer(token))).status).toBe(401);
    expect(server.log.filter((line) => line.includes("file of the tokens is gone"))).toHaveLength(1);
    await server.close();
    expect((await post(await start(files), SAVE)).status).toBe(200);
  });

  longTest(
    "that saw the first one while it ran stays closed too, and accepts tokens that are created again",
    async () => {
      const files = repository();
      const server = await start(files);
      await createToken(files.root, "bot", "viewer");
      expect((await post(server, SAVE)).status).toBe(401);
      rmSync(join(files.root, ".svcm"), { recursive: true });
      expect((await post(server, SAVE)).status).toBe(401);
      const token = await createToken(files.root, "again", "editor");
      expect((await post(server, SAVE, bearer(token))).status).toBe(200);
    },
  );
});

describe("a server with a user's key and no token", () => {
  const requests: string[] = [];
  const client: FleetClient = {
    ask: (node: string, operation: Operation<never, unknown>) => {
      requests.push(`${node} ${operation.id}`);
      return Promise.resolve({ response: {}, entityTag: "x", processes: [] } as never);
    },
    nodes: () => Promise.resolve([]),
    events: () => Promise.resolve({}),
    list: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  } as never;
  const connectFleet = () => Promise.resolve(client);

  test("reads other nodes, changes none over HTTP or WebSocket, and says so at the start", async () => {
    requests.length = 0;
    const server = await start(repository(), { connectFleet, env: { [NATS_USER_CREDENTIALS]: "SU0" } });
    await server.logged(/other nodes are read-only/);
    expect((await post(server, SAVE, {}, `${ENV}?node=web-1`)).status).toBe(401);
    expect((await post(server, { plan: "0".repeat(12) }, {}, "/api/runtime/apply?node=web-1")).status).toBe(401);
    const socket = await open(server);
    socket.send({ type: "action", action: "stop", name: "api", node: "web-1" });
    expect(await socket.next("action-result")).toMatchObject({ ok: false, code: "UNAUTHORIZED" });
    expect(requests).toEqual([]);
    expect((await ask(server, "/api/runtime/processes?node=web-1")).status).not.toBe(401);
  });

  test("with a token, its owner changes them, and nothing is said", async () => {
    requests.length = 0;
    const files = repository();
    const token = await createToken(files.root, "bot", "editor");
    const server = await start(files, { connectFleet, env: { [NATS_USER_CREDENTIALS]: "SU0" } });
    await post(server, SAVE, bearer(token), `${ENV}?node=web-1`);
    expect(requests).toEqual(["web-1 env.write"]);
    expect(server.log.join("")).not.toContain("read-only");
  });

  test("the server and the fleet mean the same variable", () => expect(NATS_USER_CREDENTIALS).toBe(ofFleet));
});

describe("a token that is limited to an environment", () => {
  const apps = (name: string) => `module.exports = { apps: [{ name: "${name}", script: "x.cjs" }] };`;

  async function limited(declared: Readonly<Record<string, string>>) {
    const files = repository();
    mkdirSync(join(files.root, "pm2"));
    for (const [environment, name] of Object.entries(declared))
      writeFileSync(join(files.root, `pm2/ecosystem.${environment}.config.cjs`), apps(name));
    const token = await createToken(files.root, "bot", "operator", { environments: ["dev"] });
    // Behind a proxy, reads need the token too.
    const env = { SVC_SERVICE_MANAGEMENT_PUBLIC_URL: "https://ops.example.com" };
    return { server: await start(files, { env }), headers: bearer(token) };
  }
  const faces = ["/api/logs?app=api", "/api/runtime/process?name=api&environment=dev"];

  longTest.each([
    ["of another environment", { production: "api", dev: "other" }, 403],
    ["of no environment", { dev: "other" }, 403],
    ["that two environments declare", { dev: "api", production: "api" }, 403],
    ["of its own", { dev: "api", production: "other" }, 200],
  ])("sees the text of a process %s: not, or everywhere", async (_of, declared, status) => {
    const { server, headers } = await limited(declared);
    for (const face of faces) expect([face, (await ask(server, face, { headers })).status]).toEqual([face, status]);
    const client = await open(server, { headers });
    client.send({ type: "logs.subscribe", apps: ["api"], tail: 1 });
    expect((await client.next()).type).toBe(status === 200 ? "logs" : "error");
  });

  test("sees the text of no process if it names none", async () => {
    const { server, headers } = await limited({ dev: "api" });
    expect((await ask(server, "/api/logs", { headers })).json.code).toBe("TOKEN_LIMITED");
  });
});
