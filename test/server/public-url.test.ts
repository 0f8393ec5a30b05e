import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { addressOf } from "../../src/client/connection.ts";
import { describeError } from "../../src/core/index.ts";
import { PUBLIC_URL, readPublicUrl, stripPublicPath } from "../../src/server/host.ts";
import { ask, ENV, post, testServer } from "./support.ts";

describe("the public URL", () => {
  test.each([
    ["https://ops.example.com", { origin: "https://ops.example.com", host: "ops.example.com", path: "" }],
    ["https://ops.example.com/", { origin: "https://ops.example.com", host: "ops.example.com", path: "" }],
    [
      "HTTPS://Ops.Example.com:443/svcm/",
      { origin: "https://ops.example.com", host: "ops.example.com", path: "/svcm" },
    ],
    ["http://10.0.0.7:8080/a/b.c", { origin: "http://10.0.0.7:8080", host: "10.0.0.7", path: "/a/b.c" }],
    ["https://[fd00::1]/x", { origin: "https://[fd00::1]", host: "fd00::1", path: "/x" }],
  ])("%s", (given, expected) => expect(readPublicUrl(given)).toEqual(expected));

  test("is unset if it is blank", () => expect(readPublicUrl("")).toBeUndefined());

  test.each([
    ["ops.example.com", "is not an http or https URL"],
    ["/svcm", "is not an http or https URL"],
    ["ftp://ops.example.com", "is not an http or https URL"],
    ["wss://ops.example.com", "is not an http or https URL"],
    ["https://", "is not an http or https URL"],
    ["https://ops:s3cret@ops.example.com", "holds credentials"],
    ["https://ops.example.com/svcm?x", "has a query or a fragment"],
    ["https://ops.example.com/#", "has a query or a fragment"],
    ["https://ops.example.com/a b", "has a path with other characters"],
    ["https://ops.example.com//svcm", "has a path with other characters"],
    ["https://ops.example.com/%41", "has a path with other characters"],
    ["https://ops.example.com/api", "begins like one of the server's own, /api"],
    ["https://ops.example.com/assets/x", "begins like one of the server's own, /assets"],
  ])("%s is refused at start", async (given, problem) => {
    const { exitCode, body } = await testServer({ env: { [PUBLIC_URL]: given } }).then(
      () => expect.unreachable("it started"),
      describeError,
    );
    expect({ exitCode, error: body.error }).toEqual({ exitCode: 1, error: "Service Management cannot start." });
    expect(body.details).toContain(`${PUBLIC_URL} ${problem.startsWith("begins") ? "has a path that " : ""}${problem}`);
    expect(body.details).toContain("Accepted: ");
    expect(JSON.stringify(body)).not.toContain("s3cret");
  });
});

test.each([
  ["/svcm/", "/"],
  ["/svcm/?x=1", "/?x=1"],
  ["/svcm/api/runtime/env?environment=dev", "/api/runtime/env?environment=dev"],
  ["/svcm", "/index.html"],
  ["/svcm?x=1", "/index.html?x=1"],
  ["/api/runtime/env", "/api/runtime/env"],
  ["/svcmx/api", "/svcmx/api"],
  ["/SVCM/api", "/SVCM/api"],
  ["http://ops.example.com/svcm/healthz", "http://ops.example.com/healthz"],
  ["*", "*"],
  ["", ""],
])("the target %s without its public path is %s", (target, expected) => {
  expect(stripPublicPath("/svcm", target)).toBe(expected);
});

describe("behind a proxy", () => {
  const behind = (url = "https://ops.example.com/svcm", more = {}) =>
    testServer({ env: { [PUBLIC_URL]: url, ...more } });
  const from = (origin: string) => ({ host: "ops.example.com", origin });

  test("everything is served under the path, and at the root for a proxy that removes the path", async () => {
    const server = await behind();
    for (const path of ["", "/svcm"]) {
      for (const target of ["/", "/healthz", ENV, "/api/openapi.json"]) {
        const answer = await ask(server, path + target, { headers: { host: "ops.example.com" } });
        expect([path + target, answer.status]).toEqual([path + target, 200]);
      }
      expect((await ask(server, `${path}/nothing`)).status).toBe(404);
      expect((await ask(server, `${path}${ENV}`, { method: "DELETE" })).headers.allow).toBe("GET, HEAD, POST");
    }
    expect((await ask(server, "/svcm/api/openapi.json")).json.servers).toEqual([{ url: "/svcm" }]);
  });

  test("a WebSocket opens under the path", async () => {
    const server = await behind();
    const socket = new WebSocket(addressOf(`http://127.0.0.1:${server.port}/svcm/`).socket, {
      headers: from("https://ops.example.com"),
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    expect(socket.readyState).toBe(socket.OPEN);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.close();
    await closed;
  });

  test("a save from the public origin is accepted with any Host of the proxy; a foreign origin is refused", async () => {
    const server = await behind();
    const save = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
    const foreign = ["https://evil.example", "https://ops.example.com.evil.example", "https://ops.example.com:8443"];
    for (const origin of foreign) {
      for (const host of ["ops.example.com", `127.0.0.1:${server.port}`]) {
        const refused = await post(server, save, { host, origin }, `/svcm${ENV}`);
        expect(refused.status).toBe(403);
        expect(refused.json.details).toContain(PUBLIC_URL);
      }
    }
    expect(server.text()).not.toContain("fastify");
    for (const host of ["ops.example.com", `127.0.0.1:${server.port}`]) {
      expect((await post(server, save, { host, origin: "https://ops.example.com" }, `/svcm${ENV}`)).status).toBe(200);
    }
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
  });

  test("with a token, reads through the proxy need the token, because those clients are not on this machine", async () => {
    const token = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-good-length" };
    const open = await behind("https://localhost:8443/svcm", token);
    expect((await ask(open, `/svcm${ENV}`)).status).toBe(200);
    const server = await behind("https://ops.example.com/svcm", token);
    expect((await ask(server, `/svcm${ENV}`)).status).toBe(401);
    expect((await ask(server, "/svcm/healthz")).status).toBe(200);
    const authorization = "Bearer a-token-of-good-length";
    expect((await ask(server, `/svcm${ENV}`, { headers: { authorization } })).status).toBe(200);
  });

  test("without a token, the server warns at start that every client of the proxy may read and write", async () => {
    const server = await behind();
    await server.logged(/"level":40.*without SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: everyone whom the proxy admits/);
    const local = await behind("https://localhost:8443");
    expect(local.log.filter((line) => line.includes('"level":40'))).toEqual([]);
  });
});

describe("other addresses of the page", () => {
  test.each([
    ["http://localhost:1", "/index.html", "./"],
    ["https://ops.example.com/svcm", "/svcm", "/svcm/"],
    ["https://ops.example.com/svcm", "/svcm/index.html", "/svcm/"],
    ["https://ops.example.com/svcm", "/index.html", "/svcm/"],
  ])("with %s, %s redirects to %s, also by a link from another site", async (url, path, location) => {
    const server = await testServer({ env: { [PUBLIC_URL]: url } });
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const { status, headers } = await ask(server, path, { headers: link });
    expect([status, headers.location, headers["cache-control"]]).toEqual([302, location, "no-store"]);
  });
});
