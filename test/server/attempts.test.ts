import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { Attempts } from "../../src/server/access.ts";
import { clientAddress, networkOf } from "../../src/server/host.ts";
import { ask, ENV, post, testServer, type TestServer } from "./support.ts";
import { open } from "./socket/support.ts";

const TOKEN = "a-token-of-good-length";
const SAVE = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const wrong = { authorization: "Bearer wrong" };
const right = { authorization: `Bearer ${TOKEN}` };
const withToken = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
const behindProxy = { SVC_SERVICE_MANAGEMENT_PUBLIC_URL: "https://ops.example.com" };

async function failTenTimes(server: TestServer, headers: Record<string, string> = wrong): Promise<void> {
  for (let failure = 1; failure <= 10; failure += 1) expect((await post(server, SAVE, headers)).status).toBe(401);
}

/** The status of a write from another address of this machine. */
function statusFrom(localAddress: string, { port }: TestServer, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, "content-type": "application/json" };
    const options = {
      host: "127.0.0.1",
      port,
      localAddress,
      path: ENV,
      method: "POST",
      headers,
      agent: false as const,
    };
    const outgoing = request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(SAVE));
  });
}

describe("ten wrong tokens", () => {
  test("refuse the next token for a time that the answer states, even the right token", async () => {
    const server = await testServer({ env: withToken });
    await failTenTimes(server);
    const before = server.text();
    for (const headers of [wrong, right]) {
      const { status, headers: sent, json } = await post(server, SAVE, headers);
      expect([status, json.error]).toEqual([429, "Too many requests."]);
      const seconds = Number(sent["retry-after"]);
      expect(seconds).toBeGreaterThan(50);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(json.details).toBe("Accepted: 10 wrong tokens from an address within 60 s. Try again later.");
    }
    expect(server.text()).toBe(before);
  });

  test("do not lock out an address that has sent the right token before", async () => {
    const server = await testServer({ env: withToken });
    expect((await post(server, SAVE, right)).status).toBe(200);
    await failTenTimes(server);
    expect((await post(server, SAVE, wrong)).status).toBe(429);
    expect((await post(server, SAVE, right)).status).toBe(200);
    expect((await post(server, SAVE, wrong)).status).toBe(429);
  });

  test("do not affect other addresses, or routes without a token", async () => {
    const server = await testServer({ env: withToken });
    await failTenTimes(server);
    expect((await ask(server, ENV, { headers: wrong })).status).toBe(200);
    expect((await ask(server, "/healthz", { headers: wrong })).status).toBe(200);
    expect((await post(server, SAVE)).status).toBe(401);
    expect(await statusFrom("127.0.0.2", server, right.authorization)).toBe(200);
  });

  test("are also counted over the WebSocket: in a frame and with the upgrade", async () => {
    const server = await testServer({ env: withToken, limits: { attempts: { failures: 2, windowMs: 60_000 } } });
    const client = await open(server);
    const stop = { type: "action", action: "stop", name: "nothing" };
    for (const code of ["UNAUTHORIZED", "UNAUTHORIZED", "RATE_LIMITED"]) {
      client.send({ ...stop, token: "wrong" });
      expect((await client.next("action-result")).code).toBe(code);
    }
    client.send({ type: "subscribe", token: TOKEN });
    expect(await client.next("error")).toMatchObject({ code: "RATE_LIMITED" });
    expect((await post(server, SAVE, right)).status).toBe(429);
  });

  test("behind a proxy count only for the client that the proxy names", async () => {
    const server = await testServer({ env: { ...withToken, ...behindProxy } });
    await failTenTimes(server, { ...wrong, "x-forwarded-for": "203.0.113.9, 198.51.100.1" });
    const from = async (address: string) => (await post(server, SAVE, { ...right, "x-forwarded-for": address })).status;
    expect(await from("198.51.100.1")).toBe(429);
    expect(await from("198.51.100.1, 198.51.100.2")).toBe(200);
    expect(await from("203.0.113.9")).toBe(200);
  });

  test("without a proxy count for the connection, whatever X-Forwarded-For says", async () => {
    const server = await testServer({ env: withToken });
    for (let failure = 1; failure <= 10; failure += 1) {
      await post(server, SAVE, { ...wrong, "x-forwarded-for": `198.51.100.${failure}` });
    }
    expect((await post(server, SAVE, { ...right, "x-forwarded-for": "198.51.100.99" })).status).toBe(429);
  });
});

test("a blocked address must wait until its oldest failure expires", () => {
  let now = 0;
  const attempts = new Attempts({ failures: 3, windowMs: 60_000 }, () => now);
  for (now of [0, 10_000, 20_000]) attempts.recordFailure("a");
  expect([attempts.waitSeconds("a"), attempts.waitSeconds("b")]).toEqual([40, 0]);
  now = 59_500;
  expect(attempts.waitSeconds("a")).toBe(1);
  now = 60_000;
  expect(attempts.waitSeconds("a")).toBe(0);
  attempts.recordFailure("a");
  expect(attempts.waitSeconds("a")).toBe(10);
});

test("an address stays trusted for an hour after a valid token", () => {
  let now = 0;
  const attempts = new Attempts({ failures: 3, windowMs: 60_000 }, () => now);
  expect(attempts.isTrusted("a")).toBe(false);
  attempts.recordSuccess("a");
  now = 3_599_999;
  expect([attempts.isTrusted("a"), attempts.isTrusted("b")]).toEqual([true, false]);
  now = 3_600_000;
  expect(attempts.isTrusted("a")).toBe(false);
});

test("failures from more than ten thousand addresses use no more memory", () => {
  const attempts = new Attempts({ failures: 1, windowMs: 60_000 }, () => 0);
  for (let address = 0; address <= 10_000; address += 1) attempts.recordFailure(String(address));
  expect([attempts.waitSeconds("0"), attempts.waitSeconds("1"), attempts.waitSeconds("10000")]).toEqual([0, 60, 60]);
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["203.0.113.9", "203.0.113.9"],
  ["::1", "::1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["", ""],
])("the network of %s is %s", (address, network) => expect(networkOf(address)).toBe(network));

test.each([
  [true, "127.0.0.1", "203.0.113.9", "203.0.113.9"],
  [true, "::ffff:127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
  [true, "127.0.0.1", "1.1.1.1, 2001:db8::1", "2001:db8:0:0::/64"],
  [true, "127.0.0.1", "nonsense", "127.0.0.1"],
  [true, "127.0.0.1", undefined, "127.0.0.1"],
  [true, "198.51.100.1", "203.0.113.9", "198.51.100.1"],
  [false, "127.0.0.1", "203.0.113.9", "127.0.0.1"],
])("behind a proxy (%s), the address from %s for %s is %s", (isBehindProxy, remoteAddress, forwarded, expected) => {
  const message = { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } };
  expect(clientAddress(isBehindProxy, message as never)).toBe(expected);
});

test("refused tokens of an address are logged once per second with their count", async () => {
  const server = await testServer({ env: withToken });
  await Promise.all(Array.from({ length: 200 }, () => post(server, SAVE, wrong)));
  await server.close();
  const lines = server.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  const countOf = (code: string) =>
    lines.filter((line) => line.code === code).reduce((sum, { count = 1 }) => sum + Number(count), 0);
  expect([countOf("UNAUTHORIZED"), countOf("RATE_LIMITED")]).toEqual([10, 190]);
  const seconds = Math.ceil((Date.parse(lines.at(-1).time) - Date.parse(lines[0].time)) / 1000);
  expect(lines.length).toBeLessThanOrEqual(2 * (seconds + 2));
  expect(lines[0]).toMatchObject({ outcome: "refused", address: "127.0.0.1", action: "env.write" });
});
