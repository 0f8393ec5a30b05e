import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeError, nodePorts, type ErrorDescription, type Ports } from "../../src/core/index.ts";
import { startServer } from "../../src/server/start.ts";
import { ask, ENV, post, rawConnection, repository, testServer, type ServerOptions } from "./support.ts";

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

async function refusal(options: ServerOptions): Promise<ErrorDescription> {
  return await testServer(options).then(() => expect.unreachable("it started"), describeError);
}

describe("the address", () => {
  const hosts = [
    { host: "", url: "http://127.0.0.1:" },
    { host: "localhost", url: "http://localhost:" },
    { host: "127.0.0.2", url: "http://127.0.0.2:" },
    { host: "::1", url: "http://[::1]:" },
    { host: "[::1]", url: "http://[::1]:" },
  ];

  test.each(hosts.filter(({ url }) => hasIPv6 || !url.includes("[")))("$host is $url<port>", async ({ host, url }) => {
    const server = await testServer({ host });
    expect(server.url.replace(/\d+$/, "")).toBe(url);
    const answer = await fetch(`${server.url}/healthz`);
    expect(await answer.json()).toMatchObject({ status: "ok", version: "1.2.3" });
  });

  test("comes from the variables if no option is given", async () => {
    const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_HOST: "127.0.0.3" } });
    expect(server.url).toBe(`http://127.0.0.3:${server.port}`);
  });
});

describe("the server refuses to start", () => {
  test("without its config directory", async () => {
    const files = repository();
    rmSync(join(files.root, "apps"), { recursive: true });
    const { exitCode, body, hint } = await refusal({ repository: files });
    expect(hint).toContain(`${files.root} itself has no svcm.yaml`);
    mkdirSync(join(files.root, "pm2"));
    expect((await refusal({ repository: files })).hint).toContain("SVC_SERVICE_MANAGEMENT_CONFIG_DIR");
    const directory = join(files.root, "apps/backend-template/src/config");
    expect(exitCode).toBe(1);
    expect(body.details).toBe(`Service Management config directory not found: ${directory}`);
  });

  test("with a file as its config directory", async () => {
    const files = repository();
    const path = join(files.root, "a-file");
    writeFileSync(path, "");
    const { body } = await refusal({ repository: files, env: { SVC_SERVICE_MANAGEMENT_CONFIG_DIR: path } });
    expect(body.details).toBe(`Service Management config directory not found: ${path}`);
  });

  test("on a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const files = repository();
    const ports = nodePorts({ root: files.root, env: {}, cwd: files.root });
    const { exitCode, body } = await startServer({
      ports,
      env: {},
      version: "1",
      port,
      log: { write: () => undefined },
    }).then(() => expect.unreachable(), describeError);
    expect({ exitCode, code: body.code }).toEqual({ exitCode: 1, code: "EADDRINUSE" });
    expect(body.details).toContain(String(port));
    expect(body.details).toMatch(/--port.*SVC_SERVICE_MANAGEMENT_PORT/);
  });

  test("on an address that this machine does not have", async () => {
    const { exitCode, body } = await refusal({
      host: "192.0.2.1",
      env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "sixteen-characters" },
    });
    expect({ exitCode, code: body.code }).toEqual({ exitCode: 1, code: "EADDRNOTAVAIL" });
    expect(body.details).toMatch(/--host.*SVC_SERVICE_MANAGEMENT_HOST/);
  });

  test.each(["runtime-contract", "capability-matrix"])(
    "with a broken %s, naming every issue and its place",
    async (name) => {
      const files = repository();
      mkdirSync(join(files.root, "config"));
      writeFileSync(join(files.root, `config/${name}.yaml`), "version: 2\nnonsense: true\n");
      const { exitCode, body } = await refusal({ repository: files });
      expect({ exitCode, error: body.error }).toEqual({ exitCode: 1, error: "Service Management cannot start." });
      expect(body.details).toContain(`config/${name}.yaml:1:10`);
      expect(body.issues?.length).toBeGreaterThan(1);
    },
  );

  test.each(["0.0.0.0", "::", "0", "::ffff:0.0.0.0"])("on %s without a token, and does not listen", async (host) => {
    const log: string[] = [];
    const files = repository();
    const ports = nodePorts({ root: files.root, env: {}, cwd: files.root });
    const started = startServer({
      ports,
      env: {},
      version: "1",
      host,
      port: 0,
      log: { write: (line) => log.push(line) },
    });
    const { exitCode, body } = await started.then(() => expect.unreachable(), describeError);
    expect(exitCode).toBe(1);
    expect(body.details).toMatch(/SVC_SERVICE_MANAGEMENT_HOST.*SVC_SERVICE_MANAGEMENT_AUTH_TOKEN/);
    expect(log).toEqual([]);
  });
});

test("the log has a line for the start, for readiness, and for the end", async () => {
  const server = await testServer();
  await server.close();
  const lines = server.log.map((line) => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toEqual(["starting", "ready", "closing", "closed"]);
  expect(lines[1]).toMatchObject({ url: server.url });
});

describe("the end", () => {
  /** Ports with which reading an env file waits until the test continues it. */
  function heldReads() {
    let release!: () => void;
    let arrive!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const world = (ports: Ports): Ports => ({
      ...ports,
      files: {
        ...ports.files,
        async read(path) {
          arrive();
          await released;
          return await ports.files.read(path);
        },
      },
    });
    return { world, release, arrived };
  }

  test("waits for a request in flight, and accepts no new one", async () => {
    const { world, release, arrived } = heldReads();
    const server = await testServer({ world });
    const pending = ask(server, ENV);
    await arrived;
    const closed = server.close();
    await expect(ask(server, "/healthz")).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    release();
    const answer = await pending;
    expect(answer.status).toBe(200);
    expect(answer.headers.connection).toBe("close");
    await closed;
  });

  test("ends a kept-alive connection after its pending answer", async () => {
    const { world, release, arrived } = heldReads();
    const server = await testServer({ world, limits: { closeTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000 } });
    const { socket, ended } = rawConnection(server);
    socket.write(`GET ${ENV} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await arrived;
    const closed = server.close();
    release();
    expect((await ended).toLowerCase()).toMatch(/^http\/1\.1 200 ok\r\nconnection: close\r\n[^]*"environment":"dev"/);
    await closed;
  });

  test("cancels requests that take too long", async () => {
    const { world, release, arrived } = heldReads();
    const server = await testServer({ world, limits: { closeTimeoutMs: 30 } });
    const pending = ask(server, ENV);
    const cut = pending.catch((error: unknown) => error);
    await arrived;
    await server.close();
    expect(await cut).toMatchObject({ code: "ECONNRESET" });
    release();
  });

  test("ends idle, silent and half-sent connections immediately", async () => {
    // Nothing else would end them before the test times out.
    const never = 300_000;
    const limits = {
      closeTimeoutMs: never,
      keepAliveTimeoutMs: never,
      headersTimeoutMs: never,
      requestTimeoutMs: never,
    };
    const server = await testServer({ limits });
    const [kept, silent] = [rawConnection(server), rawConnection(server)];
    kept.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise((resolve) => kept.socket.once("data", resolve));
    const half = rawConnection(server);
    half.socket.write("GET /healthz HT");
    await ask(server, "/healthz");
    await server.close();
    expect(await kept.ended).toContain("200 OK");
    expect(await silent.ended).toBe("");
    expect(await half.ended).toBe("");
  });

  test("the server shuts down once, even if shutdown is requested again", async () => {
    const server = await testServer();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(server.log.filter((line) => line.includes('"closed"'))).toHaveLength(1);
  });

  test("is also triggered by a signal, even by one that was aborted before the start", async () => {
    const controller = new AbortController();
    const server = await testServer({ signal: controller.signal });
    controller.abort();
    await server.close();
    await expect(ask(server, "/healthz")).rejects.toThrow("ECONNREFUSED");
    const late = await testServer({ signal: AbortSignal.abort() });
    await expect(ask(late, "/healthz")).rejects.toThrow("ECONNREFUSED");
  });

  test("waits for a write in flight", async () => {
    const server = await testServer();
    const written = post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    const answer = await written;
    await server.close();
    expect(answer.status).toBe(200);
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
  });
});

test("the port is free after the end", async () => {
  const server = await testServer();
  await server.close();
  const files = repository();
  const ports = nodePorts({ root: files.root, env: {}, cwd: files.root });
  const again = await startServer({ ports, env: {}, version: "1", port: server.port, log: { write: () => undefined } });
  expect(again.url).toBe(server.url);
  await again.close();
});
