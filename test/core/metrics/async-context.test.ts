import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeAsyncContext } from "../../../src/core/metrics/async-context.node.ts";
import { processMetrics } from "../../../src/core/api/metrics.ts";
import { createScrub } from "../../../src/core/pm2/scrub.ts";
import { asyncContextMetrics, redactedStore } from "../../../src/core/metrics/async-context-metrics.ts";
import { freePort } from "../../support/free-port.ts";
import { firstOrAll } from "../../support/runs.ts";

const scrub = createScrub(["known-7Qz"]);
const schema = processMetrics.shape.asyncContext;

async function scrape(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return ask((server.address() as AddressInfo).port);
}

async function ask(port: number) {
  const client = nodeAsyncContext.open();
  onTestFinished(() => client.close());
  return schema.parse(asyncContextMetrics(await client.get(port), scrub));
}

describe("a process", () => {
  test("a process is requested on its route without credentials and reports counters and stores", async () => {
    const seen: unknown[] = [];
    const metrics = await scrape(({ method, url, headers }, response) => {
      seen.push({ method, url, names: Object.keys(headers).toSorted() });
      response.end('{"active":3,"created":10,"note":"text","recentStores":[{"requestId":"r1","apiToken":"CANARY"}]}');
    });
    expect(metrics).toEqual({ active: 3, created: 10, recentStores: [{ requestId: "r1", apiToken: "[REDACTED]" }] });
    expect(seen).toEqual([{ method: "GET", url: "/async-context-metrics", names: ["accept", "connection", "host"] }]);
  });

  test("a process without the route is reported as not having it", async () => {
    const metrics = await scrape((_, response) => void response.writeHead(404).end());
    expect(metrics).toMatchObject({ code: "ASYNC_CONTEXT_ROUTE_MISSING", status: 404 });
  });

  test.each([500, 401, 204, 302])("a process that answers with %i is reported with the status", async (status) => {
    const metrics = await scrape((_, response) => void response.writeHead(status).end());
    const code = status === 204 ? "ASYNC_CONTEXT_PARSE_ERROR" : "ASYNC_CONTEXT_HTTP_ERROR";
    expect(metrics).toMatchObject({ code, status });
  });

  test("a redirect of a process is not followed", async () => {
    const visited: string[] = [];
    const metrics = await scrape(({ url = "" }, response) => {
      visited.push(url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect(metrics).toMatchObject({ code: "ASYNC_CONTEXT_HTTP_ERROR", status: 302 });
    expect(visited).toEqual(["/async-context-metrics"]);
  });

  test.each(["", "{", "[]", "null", "7", '"text"'])(
    "a process that answers %j is reported as unreadable",
    async (text) => {
      const metrics = await scrape((_, response) => void response.end(text));
      expect(metrics).toMatchObject({ code: "ASYNC_CONTEXT_PARSE_ERROR", status: 200 });
    },
  );

  test("an endless response of a process is not read to the end", async () => {
    const metrics = await scrape((_, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        if (response.write("x".repeat(64 * 1024))) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    });
    expect(metrics).toMatchObject({ code: "ASYNC_CONTEXT_PARSE_ERROR", status: 200 });
  });

  test.each<[string, RequestListener]>(
    firstOrAll([
      ["says nothing", () => undefined],
      ["stops in between", (_, response) => void response.write("{")],
    ]),
  )("that %s is not waited for", async (_, listener) => {
    expect(await scrape(listener)).toMatchObject({ code: "ASYNC_CONTEXT_TIMEOUT" });
  });

  test("a process that does not listen or does not speak HTTP is reported as unreachable", async () => {
    const tcp = createTcp((socket) => socket.resume().end("no http\r\n\r\n"));
    const port = await freePort();
    await new Promise<void>((resolve) => tcp.listen(port, "127.0.0.1", resolve));
    expect(await ask(port)).toMatchObject({ code: "ASYNC_CONTEXT_UNREACHABLE" });
    await new Promise((resolve) => tcp.close(resolve));
    expect(await ask(port)).toMatchObject({ code: "ASYNC_CONTEXT_UNREACHABLE" });
  });
});

test("connections are reused for the next request, and closed with the client", async () => {
  const sockets = new Set<unknown>();
  const server = createServer((_, response) => void response.end("{}"));
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = nodeAsyncContext.open();
  for (let count = 0; count < 5; count += 1) await client.get(port);
  expect(sockets.size).toBe(1);
  await client.close();
  // The server closes only when no connection is left.
  await new Promise((resolve) => server.close(resolve));
});

describe("a store", () => {
  test("a store keeps every key and shows scalar values of keys that are not secret-like", () => {
    const store = {
      requestId: "r1",
      attempt: 2,
      isRetry: false,
      parent: null,
      sessionId: "CANARY",
      user: { id: 7, password: "CANARY", tokens: { a: "CANARY" } },
      items: ["CANARY"],
      header: "Bearer CANARY",
      url: "redis://u:CANARY@host/1",
      deep: { deeper: { deepest: { value: "CANARY" } } },
    };
    const shown = redactedStore(store, scrub);
    expect(shown).toMatchObject({ requestId: "r1", attempt: 2, isRetry: false, parent: null, user: { id: 7 } });
    expect(Object.keys(shown)).toEqual(Object.keys(store));
    expect(JSON.stringify(shown)).not.toContain("CANARY");
  });

  test("a store shows no known secret under a harmless key, in a text or as a key", () => {
    const shown = redactedStore({ note: "known-7Qz", a: { b: "x known-7Qz y" }, "known-7Qz": 1 }, scrub);
    expect(shown).toEqual({ note: "[REDACTED]", a: { b: "x [REDACTED] y" }, "[REDACTED]": 1 });
  });

  test.each(["CANARY", ["CANARY"], 7, null])("a store that is %j is hidden", (store) => {
    expect(redactedStore(store, scrub)).toEqual({ value: "[REDACTED]" });
  });
});
