/** A refusal that is sent before the body has arrived reaches the client, and the rest of the body is dropped. */
import { Agent, request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { ENV, JSON_TYPE, rawConnection, sharedServer, testServer } from "./support.ts";

const LARGE = Buffer.alloc(8 * 2 ** 20, 120);
const unchanged = sharedServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token" } });
const TOKEN = { authorization: "Bearer a-token" };
const cases: [number, string, Record<string, string>][] = [
  [413, "too large", { ...JSON_TYPE, ...TOKEN }],
  [401, "without the token", JSON_TYPE],
  [415, "of another type", { ...TOKEN, "content-type": "text/plain" }],
  [403, "from another origin", { ...JSON_TYPE, ...TOKEN, origin: "http://evil.example" }],
];
/** Before, most of them got no answer: one alone may have been lucky. */
const TIMES = 6;

/** Like a proxy, which sends the whole body before it reads. */
function sendAll(port: number, headers: Record<string, string>, agent: Agent | false): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path: ENV, method: "POST", headers, agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    outgoing.once("error", reject);
    outgoing.end(LARGE);
  });
}

describe.each(cases)("%i for a body %s", (status, _what, headers) => {
  test("reaches fetch, which keeps its connection", async () => {
    const { url } = await unchanged();
    for (let at = 0; at < TIMES; at += 1) {
      const response = await fetch(`${url}${ENV}`, { method: "POST", headers, body: LARGE });
      expect(response.status).toBe(status);
      expect(await response.json()).toHaveProperty("error");
    }
  });

  test("reaches a client that wants the connection closed, and it is closed", async () => {
    const { port } = await unchanged();
    for (let at = 0; at < TIMES; at += 1) expect(await sendAll(port, headers, false)).toBe(status);
  });
});

test("the connection serves the next request after the dropped body", async () => {
  const { port } = await unchanged();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { ...JSON_TYPE, ...TOKEN };
  for (let at = 0; at < TIMES; at += 1) expect(await sendAll(port, headers, agent)).toBe(413);
});

test("a client that never ends its body is disconnected in time, without a second answer", async () => {
  const server = await testServer({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 } });
  const { socket, ended } = rawConnection(server);
  const head = `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n`;
  socket.write(`${head}\r\nx`);
  expect([...(await ended).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(["415"]);
});

test("a server that closes does not wait for the rest of a body", async () => {
  const server = await testServer();
  const { socket, ended } = rawConnection(server);
  const answered = new Promise((resolve) => socket.once("data", resolve));
  socket.write(`POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nx`);
  await answered;
  await server.close();
  expect(await ended).toContain("415");
});
