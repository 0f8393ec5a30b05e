/** Every value of SVC_HTTP_FRAMEWORK has to pass this suite, because the API is the same in every framework. */
import { createServer, type AddressInfo } from "node:net";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { runToEnd, startEntrypoint, type Entrypoint } from "./entrypoint.ts";
import { firstOrAll, longTest, sampleOrAll } from "../../../test/support/runs.ts";

const spec = packagedRuntimeContract.keys["SVC_HTTP_FRAMEWORK"];
const frameworks = spec?.kind === "enum" ? spec.values : [];

test("the contract has eleven frameworks", () => {
  expect(frameworks).toHaveLength(11);
});

const ORIGIN = "http://localhost:5173";
const ORIGINS = ` ${ORIGIN}, https://console.example.com`;

const post = (body: string) => ({ method: "POST", body, headers: { "content-type": "application/json" } });

/** Half of the time is the loading of these two. Each other framework is an adapter of the same form. */
const HEAVY: ReadonlySet<string> = new Set(["loopback", "sails-js"]);
const quick = frameworks.filter((framework) => !HEAVY.has(framework));

describe.each(sampleOrAll(frameworks, quick))("%s", (framework) => {
  let backend: Entrypoint & AsyncDisposable;
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(backend.url + path, init);
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      allow: response.headers.get("allow"),
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  };

  const testOfOne = framework === frameworks[0] ? test : longTest;

  beforeAll(async () => {
    backend = await startEntrypoint("rest", { SVC_HTTP_FRAMEWORK: framework, SVC_CORS_ALLOWED_ORIGINS: ORIGINS });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  test("/health names the framework", async () => {
    expect(await ask("/health")).toMatchObject({
      status: 200,
      type: "application/json; charset=utf-8",
      body: { status: "ok", entrypoint: "rest", framework, pid: backend.pid },
    });
  });

  test("adds, returns, lists and removes an item", async () => {
    const added = await ask("/items", post('{"name":"a name / with ünicode"}'));
    expect(added).toMatchObject({ status: 201, body: { name: "a name / with ünicode" } });
    const { id } = added.body as { id: string };
    expect(await ask(`/items/${id}`)).toMatchObject({ status: 200, body: added.body });
    expect((await ask("/items?any=query")).body).toContainEqual(added.body);
    expect(await ask(`/items/${id}`, { method: "DELETE" })).toMatchObject({ status: 204, body: undefined });
    expect(await ask(`/items/${id}`)).toMatchObject({ status: 404, body: { error: "No such item." } });
    expect(await ask(`/items/${id}`, { method: "DELETE" })).toMatchObject({ status: 404 });
  });

  test.each([
    ["no JSON", '{"na', 400, "The body is not JSON."],
    ["an empty body", "", 400, "The body is not JSON."],
    ["another shape", '{"title":1}', 400, 'Expected { "name": text of 1 to 100 characters }.'],
    ["too large", JSON.stringify({ name: "x".repeat(70_000) }), 413, "The body is larger than 65536 bytes."],
    ["far too large", JSON.stringify({ name: "x".repeat(1_000_000) }), 413, "The body is larger than 65536 bytes."],
  ])("refuses %s, as JSON", async (_, body, status, error) => {
    expect(await ask("/items", post(body))).toMatchObject({ status, body: { error } });
  });

  test.each([
    ["GET", "/nothing", 404],
    ["GET", "/items/", 404],
    ["GET", "/health/", 404],
    ["GET", "/Health", 404],
    ["GET", "/items/a/b", 404],
    ["GET", "/items/%E0%A4%A", 400],
    ["GET", "/items/no-such-id", 404],
    ["PUT", "/items", 405],
    ["DELETE", "/health", 405],
  ])("%s %s is answered with %i, as JSON", async (method, path, status) => {
    const response = await ask(path, { method });
    expect(response).toMatchObject({ status, body: { error: expect.any(String) as string } });
    expect(response.allow).toBe(status === 405 ? (path === "/items" ? "GET, HEAD, POST" : "GET, HEAD") : null);
  });

  test("answers HEAD without a body and OPTIONS with the allowed methods", async () => {
    expect(await ask("/health", { method: "HEAD" })).toMatchObject({ status: 200, body: undefined });
    expect(await ask("/items", { method: "OPTIONS" })).toMatchObject({ status: 204, allow: "GET, HEAD, POST" });
  });

  test("only a page of an allowed origin may read the answer", async () => {
    const corsResponse = async (origin: string, method: string, more: Record<string, string> = {}) => {
      const { status, headers } = await fetch(`${backend.url}/items`, { method, headers: { origin, ...more } });
      const named = [...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary");
      return { status, ...Object.fromEntries(named) };
    };
    const allowed = { vary: "Origin", "access-control-allow-origin": ORIGIN };
    expect(await corsResponse(ORIGIN, "GET")).toEqual({ status: 200, ...allowed });
    expect(await corsResponse(ORIGIN, "PUT")).toEqual({ status: 405, ...allowed });
    expect(await corsResponse("http://localhost:5174", "GET")).toEqual({ status: 200, vary: "Origin" });
    const before = { "access-control-request-method": "POST" };
    expect(await corsResponse("null", "OPTIONS", before)).toEqual({ status: 204, vary: "Origin" });
    expect(await corsResponse(ORIGIN, "OPTIONS", before)).toEqual({
      status: 204,
      ...allowed,
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-max-age": "600",
    });
  });

  test("a client that disconnects while it sends a body does not affect the server", async () => {
    const gone = request(`${backend.url}/items`, { method: "POST", headers: { "content-length": "100" } });
    gone.on("error", () => undefined);
    gone.write('{"name":');
    await arrived(backend.url, 1);
    gone.destroy();
    while ((await contexts(backend.url)).active > 1);
    expect((await ask("/health")).status).toBe(200);
    expect(backend.output()).toMatch(/^REST .*\n$/);
  });

  testOfOne("a hundred concurrent requests have a hundred separate contexts", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `item ${index}`);
    const responses = await Promise.all(names.map((name) => ask("/items", post(JSON.stringify({ name })))));
    expect(responses.map(({ body }) => (body as { name: string }).name)).toEqual(names);
    const { body } = await ask("/async-context-metrics");
    const { active, created, completed, recentStores } = body as {
      active: number;
      created: number;
      completed: number;
      recentStores: { id: string; method: string; path: string }[];
    };
    expect(active).toBe(created - completed);
    expect(created).toBeGreaterThan(100);
    expect(new Set(recentStores.map(({ id }) => id)).size).toBe(recentStores.length);
    expect(recentStores[0]).toMatchObject({ method: "GET", path: "/async-context-metrics" });
    expect(recentStores[1]).toMatchObject({ method: "POST", path: "/items" });
  });

  testOfOne("a request in flight is answered when the process receives a termination signal", async () => {
    await using leaving = await startEntrypoint("rest", { SVC_HTTP_FRAMEWORK: framework });
    const slow = request(`${leaving.url}/items`, { method: "POST", headers: { "content-type": "application/json" } });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      slow.once("response", ({ statusCode }) => resolve(statusCode));
      slow.once("error", reject);
    });
    slow.write('{"name":');
    // The context shows that the request has arrived. Only then is the process signalled.
    await arrived(leaving.url, 1);
    leaving.signal("SIGTERM");
    await refused(leaving.url);
    slow.end('"late"}');
    expect(await answered).toBe(201);
    expect(await leaving.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  });
});

interface Contexts {
  readonly active: number;
  readonly recentStores: readonly { readonly method: string }[];
}

async function contexts(url: string): Promise<Contexts> {
  return (await (await fetch(`${url}/async-context-metrics`)).json()) as Contexts;
}

/** Polls until this many other requests are being processed. */
async function arrived(url: string, others: number): Promise<void> {
  while ((await contexts(url)).active <= others);
}

/** Connects repeatedly until the process no longer listens. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const isRefused = await fetch(`${url}/health`, { headers: { connection: "close" } }).then(
      () => false,
      () => true,
    );
    if (isRefused) return;
  }
}

longTest.each(firstOrAll(frameworks))(
  "%s: if the port is taken, the process prints a message and exits with code 1",
  async (framework) => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runToEnd("rest", { SVC_HTTP_FRAMEWORK: framework, SVC_HTTP_PORT: String(port) });
    server.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    });
  },
);
