import { readdirSync } from "node:fs";
import { join } from "node:path";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { ask, ENV, post, sharedServer, testServer } from "./support.ts";
import { ASSET_PATH } from "../../src/server/content-routes.ts";
import { routes } from "../../src/server/routes.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const TOKEN = "a-token-of-good-length";
const bearer = { authorization: `Bearer ${TOKEN}` };
const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

const unauthorized = {
  status: 401,
  text: '{"error":"Unauthorized."}',
  headers: expect.objectContaining({ "www-authenticate": "Bearer" }),
};

describe("on loopback", () => {
  test("without a token, everything is open", async () => {
    expect((await post(await testServer(), fastify)).status).toBe(200);
  });

  test.each(firstOrAll(["x", "short", TOKEN, "with spaces"]))(
    "with token %j reads are open and writes need it",
    async (token) => {
      const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
      const before = server.text();
      expect((await ask(server, ENV)).status).toBe(200);
      expect(await post(server, fastify)).toMatchObject(unauthorized);
      for (const given of ["Bearer", `Bearer ${token}x`, `Basic ${token}`, token, `Bearer x${token}`]) {
        expect(await post(server, fastify, { authorization: Buffer.from(given).toString("latin1") })).toMatchObject(
          unauthorized,
        );
      }
      expect(server.text()).toBe(before);
      const header = Buffer.from(`bEARER ${token}`).toString("latin1");
      expect((await post(server, fastify, { authorization: header })).status).toBe(200);
    },
  );

  test("without the token, the body is not read", async () => {
    const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
    for (const type of ["text/plain", "application/json"]) {
      expect(await post(server, "{", { "content-type": type })).toMatchObject(unauthorized);
    }
  });

  test("the token is never taken from a query or a cookie", async () => {
    const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
    expect(await post(server, fastify, { cookie: `token=${TOKEN}` }, `${ENV}?token=${TOKEN}`)).toMatchObject(
      unauthorized,
    );
  });

  test("a wrong token does not close open routes", async () => {
    const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
    expect((await ask(server, ENV, { headers: { authorization: "Bearer wrong" } })).status).toBe(200);
  });
});

const spellings = ["0.0.0.0", "0", "::", "[::]", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"].filter(
  (host) => hasIPv6 || !host.includes(":"),
);

const assets = readdirSync(join(import.meta.dirname, "../../dist/console/assets")).map((name) => `/assets/${name}`);

describe.each(spellings)("on %s", (host) => {
  const start = () => testServer({ host, env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
  const open = ["/healthz", "/", ...assets];

  longTest("every route except health and the page needs the token", async () => {
    const server = await start();
    for (const { method, path } of routes) {
      const answer = await ask(server, path, { method });
      if (path === ASSET_PATH) expect(answer.status).toBe(404);
      else if (path === "/index.html") expect(answer.status).toBe(302);
      else if (open.includes(path)) expect(answer.status).toBe(200);
      else expect(answer).toMatchObject(unauthorized);
    }
    for (const path of assets) expect((await ask(server, path)).status).toBe(200);
    for (const path of ["/nothing", "/api/nothing"]) expect(await ask(server, path)).toMatchObject(unauthorized);
    for (const path of open) expect(await ask(server, path, { method: "DELETE" })).toMatchObject(unauthorized);
  });

  test("with the token, every route is available", async () => {
    const server = await start();
    expect((await ask(server, ENV, { headers: bearer })).status).toBe(200);
    expect((await post(server, fastify, bearer)).status).toBe(200);
    expect((await ask(server, "/nothing", { headers: bearer })).status).toBe(404);
  });

  test("Host is checked first: it may name only loopback or the address", async () => {
    const server = await start();
    const { host: own } = new URL(server.url);
    for (const name of ["localhost", "127.0.0.1", own]) {
      expect((await ask(server, ENV, { headers: { ...bearer, host: name } })).status).toBe(200);
    }
    for (const name of ["evil.example", "10.9.8.7", "0.0.0.1"]) {
      expect((await ask(server, "/healthz", { headers: { ...bearer, host: name } })).status).toBe(403);
    }
  });
});

test("a host name is accepted only if the operator allows it", async () => {
  const env = { SVC_SERVICE_MANAGEMENT_ALLOWED_HOSTS: "svcm.example, other.example" };
  const server = await testServer({ env });
  const from = (host: string, origin?: string) =>
    ask(server, ENV, { headers: { host, ...(origin !== undefined && { origin }) } });
  expect((await from("svcm.example:8080", "http://svcm.example:8080")).status).toBe(200);
  expect((await from("other.example")).status).toBe(200);
  expect((await from("svcm.example", "http://other.example")).status).toBe(403);
  expect((await from("sub.svcm.example")).status).toBe(403);
  expect((await from("another.example")).status).toBe(403);
});

describe("headers that the browser sets", () => {
  const unchanged = sharedServer();

  test.each([
    ["GET", ENV, { "sec-fetch-site": "same-origin" }, 200],
    ["GET", ENV, { "sec-fetch-site": "none" }, 200],
    ["GET", ENV, { "sec-fetch-site": "same-site" }, 403],
    ["GET", ENV, { "sec-fetch-site": "cross-site" }, 403],
    ["GET", "/healthz", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
    [
      "GET",
      "/healthz",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      403,
    ],
    ["GET", "/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, 200],
    [
      "GET",
      "/?from=a-link",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      200,
    ],
    ["GET", "/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, 403],
    ["GET", "/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }, 403],
    ["POST", "/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, 403],
    ["GET", "/assets/service-management.css", { "sec-fetch-site": "cross-site" }, 403],
    ["GET", ENV, { origin: "null" }, 403],
    ["GET", ENV, { origin: "http://evil.example" }, 403],
    ["OPTIONS", ENV, { origin: "http://evil.example", "access-control-request-method": "POST" }, 403],
  ])("%s %s with %j is answered with %i", async (method, path, headers, status) => {
    const answer = await ask(await unchanged(), path, { method, headers });
    expect(answer.status).toBe(status);
    if (status !== 403) return;
    expect(answer.json.error).toBe("Forbidden.");
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

test("the checks run in the order Host, Origin, fetch metadata, token, route, body", async () => {
  const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
  const wrong: Record<string, string> = {
    host: "evil.example",
    origin: "http://evil.example",
    "sec-fetch-site": "cross-site",
    authorization: "Bearer wrong",
    "content-type": "text/plain",
  };
  const seen: string[] = [];
  for (const fixed of ["", "host", "origin", "sec-fetch-site", "authorization", "content-type"]) {
    if (fixed === "host") wrong["host"] = "localhost";
    else if (fixed === "authorization") wrong["authorization"] = `Bearer ${TOKEN}`;
    else if (fixed === "content-type") wrong["content-type"] = "application/json";
    else delete wrong[fixed];
    const { status, json } = await post(server, "{", wrong);
    seen.push(`${status} ${json.details ?? json.error}`.slice(0, 34));
  }
  expect(seen).toEqual([
    "403 The Host header names another ",
    "403 The Origin header names anothe",
    "403 The request comes from another",
    "401 Unauthorized.",
    "415 Accepted: Content-Type: applic",
    "400 The body is not JSON at positi",
  ]);
});
