import { expect, test } from "vitest";
import { testServer, type TestServer } from "../support.ts";
import { manualTelemetry, withTelemetry } from "./hand-telemetry.ts";
import { open, openRefused, type Client, type ClientSettings } from "./support.ts";

const TOKEN = "a-token-of-good-length";
const owner: ClientSettings = { headers: { authorization: `Bearer ${TOKEN}` } };

function openServer(limits: { maxSockets?: number; authTimeoutMs?: number } = {}): Promise<TestServer> {
  const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
  return testServer({
    world: withTelemetry(manualTelemetry()),
    host: "0.0.0.0",
    env,
    limits: { authTimeoutMs: 300_000, ...limits },
  });
}

async function eightWaitingClients(server: TestServer): Promise<Client[]> {
  const clients: Client[] = [];
  for (let count = 0; count < 8; count += 1) clients.push(await open(server));
  return clients;
}

test("eight clients may wait without a token, the ninth is refused, and a client with the token still connects", async () => {
  const server = await openServer();
  await eightWaitingClients(server);
  const { status, headers, json } = await openRefused(server);
  expect([status, headers["retry-after"], json.error]).toEqual([503, "5", "Service busy."]);
  expect(json.details).toContain("8 WebSockets of clients that have not sent the token");
  const client = await open(server, owner);
  client.send({ type: "subscribe" });
  expect((await client.next()).type).toBe("subscribed");
});

test("a client that sends the token no longer counts as waiting", async () => {
  const server = await openServer();
  const [first] = await eightWaitingClients(server);
  first?.send({ type: "subscribe", token: TOKEN });
  expect(await first?.next()).toMatchObject({ type: "subscribed" });
  await open(server);
  expect((await openRefused(server)).status).toBe(503);
});

test("clients without the token do not count against the limit of clients with it, and both have a limit", async () => {
  const server = await openServer({ maxSockets: 1 });
  const [waiting] = await eightWaitingClients(server);
  await open(server, owner);
  expect((await openRefused(server, owner)).json.details).toContain("1 WebSockets at the same time");
  waiting?.send({ type: "subscribe", token: TOKEN });
  expect(await waiting?.next()).toMatchObject({ type: "error", code: "SERVICE_BUSY" });
});

test("a refusal without the token has the same properties after a request and after a timeout", async () => {
  const asking = await open(await openServer());
  asking.send({ type: "subscribe" });
  const refusal = await asking.next();
  expect(refusal).toEqual({ type: "error", code: "UNAUTHORIZED", error: "Unauthorized.", details: refusal.details });
  const waiting = await open(await openServer({ authTimeoutMs: 1 }));
  expect(await waiting.next()).toEqual(refusal);
});
