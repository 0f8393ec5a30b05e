/** The answers to each frame, over real sockets. The test provides the samples. */
import { describe, expect, test } from "vitest";
import { sharedServer, testServer } from "../support.ts";
import { manualTelemetry, hostSample, sample, withTelemetry } from "./hand-telemetry.ts";
import { open } from "./support.ts";

async function start(limits: Parameters<typeof testServer>[0] = {}) {
  const telemetry = manualTelemetry();
  const server = await testServer({ world: withTelemetry(telemetry), ...limits });
  return { telemetry, server, client: await open(server) };
}

const INVALID = [
  { intervalMs: 499 },
  { intervalMs: 2001 },
  { intervalMs: 2 ** 31 },
  { intervalMs: 1000.5 },
  { intervalMs: "1000" },
  { intervalMs: null },
  { environment: "qa" },
  { environment: 1 },
  { environment: "" },
  { asyncContext: "yes" },
  { requestId: "" },
  { requestId: "x".repeat(65) },
  { more: 1 },
];

describe("subscribe", () => {
  test("is answered with the defaults, and samples follow", async () => {
    const { telemetry, client } = await start();
    client.send({ type: "subscribe" });
    expect(await client.next()).toEqual({ type: "subscribed", environment: "dev", intervalMs: 1000 });
    await telemetry.watchers(1);
    expect(telemetry.watched).toEqual(["dev 1000"]);
    for (const count of [1, 2]) {
      telemetry.give(sample(count));
      expect(await client.next()).toEqual({ type: "metrics", payload: sample(count).payload });
    }
  });

  test("returns the environment as given, and accepts the limits of the interval", async () => {
    const { client } = await start();
    for (const intervalMs of [500, 2000]) {
      client.send({ type: "subscribe", environment: " Development ", intervalMs });
      expect(await client.next()).toEqual({ type: "subscribed", environment: "development", intervalMs });
    }
  });

  test("replaces the previous subscription", async () => {
    const { telemetry, client } = await start();
    client.send({ type: "subscribe" });
    client.send({ type: "subscribe", environment: "staging", intervalMs: 500, asyncContext: true });
    await client.next("subscribed");
    expect(await client.next("subscribed")).toEqual({ type: "subscribed", environment: "staging", intervalMs: 500 });
    await telemetry.watchers(1);
    expect(telemetry.watched).toEqual(["staging 500 asyncContext"]);
    telemetry.give(sample(1));
    await client.next("metrics");
    client.send({ type: "ping" });
    expect(await client.next()).toEqual({ type: "pong" });
  });

  test.each(INVALID)("with %j is refused, and the previous subscription stays unchanged", async (wrong) => {
    const { telemetry, client } = await start();
    client.send({ type: "subscribe", intervalMs: 500 });
    await client.next("subscribed");
    await telemetry.watchers(1);
    client.send({ type: "subscribe", requestId: "r1", ...wrong });
    const error = await client.next();
    expect(error).toMatchObject({ type: "error", code: "INVALID_SUBSCRIPTION" });
    expect(error.details).toContain("500 to 2000");
    expect(error.details.match(/Accepted/g)).toHaveLength(1);
    expect(error.requestId).toBe("requestId" in wrong ? undefined : "r1");
    expect(telemetry.watched).toEqual(["dev 500"]);
    telemetry.give(sample(1));
    expect((await client.next()).type).toBe("metrics");
  });
});

test("unsubscribe ends the stream and the sampling", async () => {
  const { telemetry, client } = await start();
  client.send({ type: "subscribe" });
  await telemetry.watchers(1);
  client.send({ type: "unsubscribe" });
  await telemetry.watchers(0);
  expect(telemetry.watched).toEqual([]);
  client.send({ type: "subscribe" });
  await telemetry.watchers(1);
});

test("while PM2 cannot be read, the host is sent with the error", async () => {
  const { telemetry, client } = await start();
  client.send({ type: "subscribe" });
  await telemetry.watchers(1);
  telemetry.give(hostSample);
  await client.next("subscribed");
  expect((await client.next()).type).toBe("host");
  expect(await client.next()).toEqual({ type: "error", code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." });
});

describe("an invalid frame", () => {
  const running = sharedServer({ world: withTelemetry(manualTelemetry()) });

  test.each([
    ["", "INVALID_FRAME"],
    ["{", "INVALID_FRAME"],
    ["[".repeat(100), "INVALID_FRAME"],
    ['{"type":"ping","type":"ping"}', "INVALID_FRAME"],
    ['{"type":"ping","more":1}', "INVALID_FRAME"],
    ['{"type":"unsubscribe","environment":"dev"}', "INVALID_FRAME"],
    ["1", "UNKNOWN_FRAME"],
    ["null", "UNKNOWN_FRAME"],
    ["[]", "UNKNOWN_FRAME"],
    ["{}", "UNKNOWN_FRAME"],
    ['{"type":"shout"}', "UNKNOWN_FRAME"],
    ['{"type":"__proto__"}', "UNKNOWN_FRAME"],
    ['{"type":"toString"}', "UNKNOWN_FRAME"],
    ['{"type":["ping"]}', "UNKNOWN_FRAME"],
    ['{"type":"action"}', "INVALID_ACTION"],
    ['{"type":"action","action":"delete","name":"a"}', "INVALID_ACTION"],
    ['{"type":"action","action":"stop","scope":"all"}', "INVALID_ACTION"],
    ['{"type":"action","action":"stop","pmId":-1}', "INVALID_ACTION"],
    ['{"type":"action","action":"stop","name":""}', "INVALID_ACTION"],
  ])("%j is answered with %s, and the connection stays open", async (text, code) => {
    const client = await open(await running());
    client.send(text);
    expect(await client.next()).toMatchObject({ type: "error", code });
    client.send({ type: "ping" });
    expect(await client.next()).toEqual({ type: "pong" });
  });

  test("the answer contains only the id of the request", async () => {
    const client = await open(await running());
    client.send({ type: "action", action: "canary-action", name: "canary-name", token: "canary", requestId: "mine" });
    client.send({ type: "subscribe", token: 1, canary: "canary-value", requestId: "mine" });
    client.send('{"type":"canary-type","requestId":"mine"');
    for (const id of ["mine", "mine", undefined]) expect((await client.next("error")).requestId).toBe(id);
    expect(client.texts.join("").replace('"canary"', "")).not.toMatch(/canary-/);
  });
});

describe("frames that close the connection", () => {
  test("a binary frame: 1003", async () => {
    const { client } = await start();
    client.socket.send(Buffer.from('{"type":"ping"}'));
    expect(await client.next()).toMatchObject({ type: "error", code: "BINARY_FRAME" });
    expect(await client.closed).toMatchObject({ code: 1003 });
  });

  test.each([
    ["in one piece", (text: string) => [text]],
    ["in parts", (text: string) => [text.slice(0, 9000), text.slice(9000)]],
  ])("more than 16 KiB %s: 1009", async (_, cut) => {
    const { client } = await start();
    const parts = cut(JSON.stringify({ type: "ping", x: "x".repeat(16 * 1024) }));
    for (const [index, part] of parts.entries()) client.socket.send(part, { fin: index === parts.length - 1 });
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  test("16 KiB are accepted", async () => {
    const { client } = await start();
    client.send(`${" ".repeat(16 * 1024 - 15)}{"type":"ping"}`);
    expect(await client.next()).toEqual({ type: "pong" });
  });

  test("text that is not UTF-8: 1007", async () => {
    const { client } = await start();
    client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect(await client.closed).toMatchObject({ code: 1007 });
  });

  test("more frames than the rate limit get an error, then 1008", async () => {
    const { client } = await start({ limits: { frameRate: { perSecond: 0.001, burst: 5 } } });
    for (let count = 0; count < 50; count++) client.send({ type: "ping" });
    for (let count = 0; count < 5; count++) expect(await client.next()).toEqual({ type: "pong" });
    expect(await client.next()).toMatchObject({ type: "error", code: "RATE_LIMITED" });
    expect(await client.closed).toEqual({ code: 1008, reason: "RATE_LIMITED" });
    expect(client.texts).toHaveLength(6);
  });

  test("a message of too many fragments", async () => {
    const { client } = await start();
    for (let count = 0; count < 100; count++) client.socket.send(" ", { fin: false });
    expect((await client.closed).code).toBeGreaterThanOrEqual(1002);
  });
});
