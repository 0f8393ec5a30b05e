import { bootBody, daemonBody } from "../../src/core/api/boot.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { describe, expect, test } from "vitest";
import {
  asyncApiBody,
  auditBody,
  contractBody,
  ecosystemBody,
  envCheckBody,
  envDiffBody,
  envReadBody,
  failureBody,
  healthBody,
  openApiBody,
} from "../../src/core/api/bodies.ts";
import { declarationsBody } from "../../src/core/api/declarations.ts";
import { eventsBody } from "../../src/core/api/events.ts";
import { identityBody } from "../../src/core/api/identity.ts";
import { historyBody } from "../../src/core/api/history.ts";
import { logUsageBody } from "../../src/core/api/logs.ts";
import { markListBody } from "../../src/core/api/alerts.ts";
import { proposalListBody } from "../../src/core/api/proposals.ts";
import { planBody, releaseListBody } from "../../src/core/api/rollout.ts";
import { ask, ENV, post, sharedServer, testServer, type TestResponse } from "./support.ts";
import type { Route } from "../../src/server/route.ts";
import { routes } from "../../src/server/routes.ts";

const SNAPSHOTS = join(import.meta.dirname, "snapshots");

const examples: Record<string, { readonly path: string; readonly body?: z.ZodType }> = {
  "/api/runtime/env": { path: ENV, body: envReadBody },
  "/api/runtime/env/check": { path: `${ENV}/check?environment=staging`, body: envCheckBody },
  "/api/runtime/env/diff": { path: `${ENV}/diff?from=dev&to=ci`, body: envDiffBody },
  "/api/runtime/pm2-ecosystem": {
    path: "/api/runtime/pm2-ecosystem?environment=prod&serviceKind=rest-api",
    body: ecosystemBody,
  },
  "/api/runtime/plan": { path: "/api/runtime/plan?environment=prod", body: planBody },
  "/api/runtime/releases": { path: "/api/runtime/releases", body: releaseListBody },
  "/api/proposals": { path: "/api/proposals", body: proposalListBody },
  "/api/runtime/contract": { path: "/api/runtime/contract", body: contractBody },
  "/api/runtime/audit": { path: "/api/runtime/audit?limit=10", body: auditBody },
  "/api/events": { path: "/api/events?limit=10&cursor=1.1", body: eventsBody },
  "/api/marks": { path: "/api/marks", body: markListBody },
  "/api/me": { path: "/api/me", body: identityBody },
  "/api/logs/usage": { path: "/api/logs/usage", body: logUsageBody },
  "/api/boot": { path: "/api/boot", body: bootBody },
  "/api/daemon": { path: "/api/daemon", body: daemonBody },
  "/api/history": { path: "/api/history?series=host&points=10", body: historyBody },
  "/api/declarations": { path: "/api/declarations", body: declarationsBody },
  "/healthz": { path: "/healthz", body: healthBody },
  "/api/openapi.json": { path: "/api/openapi.json", body: openApiBody },
  "/api/asyncapi.json": { path: "/api/asyncapi.json", body: asyncApiBody },
  "/": { path: "/" },
  "/assets/:file": { path: `/assets/${readdirSync(join(import.meta.dirname, "../../dist/console/assets"))[0]}` },
};

const paths = [...new Set(routes.map(({ path }) => path))];

export function expectJsonHeaders({ headers, text }: TestResponse): void {
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(text).not.toMatch(/[<>&\u2028\u2029]/);
}

function accessOf(route: Route): string {
  if ("isAsset" in route || "isRedirect" in route) return "open";
  if ("isMcp" in route) return "read";
  if ("socket" in route) return "ws";
  return "operation" in route ? route.operation.access : route.isOpen ? "open" : "read";
}

function nameOf(route: Route): string {
  if ("isAsset" in route) return "assets";
  if ("isRedirect" in route) return "to the page";
  if ("isMcp" in route) return "to programs";
  if ("socket" in route) return route.socket;
  return "operation" in route ? route.operation.id : route.content;
}

test("the route list", async () => {
  const rows = routes.map((route) => {
    return [route.method.padEnd(4), route.path.padEnd(32), accessOf(route).padEnd(5), nameOf(route)].join("  ");
  });
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot(join(SNAPSHOTS, "routes.txt"));
});

const running = sharedServer();

describe.each(Object.entries(examples))("GET %s", (_, { path, body }) => {
  test("answers as its schema says", async () => {
    const server = await running();
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    const answer = await ask(server, path);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    if (body === undefined) return;
    expectJsonHeaders(answer);
    body.parse(answer.json);
  });

  test("HEAD has the same headers and no body", async () => {
    const server = await running();
    const [get, head] = [await ask(server, path), await ask(server, path, { method: "HEAD" })];
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    const { date: _date, "content-length": length, ...expected } = get.headers;
    expect(head.headers).toMatchObject(expected);
    // Other tests start and end processes of the machine between both answers.
    if (length !== undefined) expect(head.headers["content-length"]).toMatch(/^[1-9]\d*$/);
  });
});

/**
 * Their answers depend on PM2 (`metrics.test.ts`, `logs.test.ts`, `process-show.test.ts`, `pm2/apply-http.test.ts`) or a
 * NATS server (`fleet/prometheus.test.ts`, `console/nodes.test.ts`), need a token (`roles.test.ts`) or are not bodies
 * (`public-url.test.ts`).
 */
const elsewhere = [
  "/api/fleet/events",
  "/api/fleet/nodes",
  "/api/fleet/targets",
  "/api/logs",
  "/api/runtime/pm2-metrics",
  "/api/runtime/rollback",
  "/api/runtime/process",
  "/api/runtime/releases/:release",
  "/api/tokens",
  "/metrics",
  "/index.html",
];

test("every route that can be read has an example", () => {
  const read = routes.filter((route) => route.method === "GET" && !("socket" in route)).map(({ path }) => path);
  expect([...Object.keys(examples), ...elsewhere].toSorted()).toEqual(read.toSorted());
});

describe("unknown paths", () => {
  test.each([
    "/api",
    "/api/",
    "/api/runtime/env/",
    "/API/runtime/env",
    "/api/runtime/pm2-ecosystem/",
    "/nothing",
    "/..%2f",
    "//",
    "/assets/",
    "/favicon.ico",
  ])("%s is answered with 404", async (path) => {
    const answer = await ask(await running(), path);
    expect(answer.status).toBe(404);
    expectJsonHeaders(answer);
    expect(answer.json).toEqual({ error: "Not found." });
  });

  test.each(paths)("%s with another method is answered with 405 and Allow", async (path) => {
    const server = await running();
    const allowed = routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"].filter(
      (name) => !allowed.includes(name),
    )) {
      const answer = await ask(server, `${path}?x=1`, { method });
      expect({ method, status: answer.status, allow: answer.headers.allow }).toEqual({
        method,
        status: 405,
        allow: allowed.join(", "),
      });
      expectJsonHeaders(answer);
      failureBody.parse(answer.json);
    }
  });

  test("an unsupported method on an unknown path is answered with 404, with a body of any type", async () => {
    const answer = await post(
      await running(),
      "x".repeat(100_000),
      { "content-type": "text/x-anything" },
      "/api/nothing",
    );
    expect(answer.status).toBe(404);
  });
});

test("GET /api/runtime/audit returns the newest mutation first", async () => {
  const server = await testServer();
  for (const name of ["fastify", "restify"]) await post(server, { values: { SVC_HTTP_FRAMEWORK: name } });
  await post(server, { environment: "ci", values: { SVC_DATABASE_DRIVER: "MySQL" } });
  const { records } = (await ask(server, "/api/runtime/audit?limit=2")).json;
  expect(
    records.map(({ environment, keys, outcome, source }: Record<string, unknown>) => [
      environment,
      keys,
      outcome,
      source,
    ]),
  ).toEqual([
    ["ci", ["SVC_DATABASE_DRIVER"], "succeeded", "http"],
    ["dev", ["SVC_HTTP_FRAMEWORK"], "succeeded", "http"],
  ]);
});
