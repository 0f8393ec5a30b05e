/** The client without an explicit WebSocket. Node.js has a global one since version 22, and every browser has one. */
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { connect } from "../../src/client/index.ts";
import { testServer } from "../server/support.ts";
import { manualTelemetry, hostSample, withTelemetry } from "../server/socket/hand-telemetry.ts";

const TOKEN = "a-token-of-good-length";

afterEach(() => void vi.unstubAllGlobals());

function giveGlobal(): void {
  if (!("WebSocket" in globalThis)) vi.stubGlobal("WebSocket", WebSocket);
}

async function start() {
  const telemetry = manualTelemetry();
  const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };
  return { telemetry, server: await testServer({ world: withTelemetry(telemetry), env }) };
}

test("it watches and acts through the global WebSocket, with its token in a subprotocol", async () => {
  giveGlobal();
  const { telemetry, server } = await start();
  const client = connect({ url: server.url, token: TOKEN });
  onTestFinished(() => client.close());
  const frames = client.watch({ environment: "dev" })[Symbol.asyncIterator]();
  const first = frames.next();
  await telemetry.watchers(1);
  telemetry.give(hostSample);
  expect((await first).value).toMatchObject({ type: "host" });
  expect(await client.act({ action: "stop", name: "nothing" })).toMatchObject({ type: "action-result", ok: false });
});

test("an action without the token is refused with the message of the service", async () => {
  giveGlobal();
  const { server } = await start();
  const client = connect({ url: server.url });
  onTestFinished(() => client.close());
  expect(await client.act({ action: "stop", name: "nothing" })).toMatchObject({ ok: false, error: "Unauthorized." });
});

test("without a WebSocket implementation, the error names the accepted ones", () => {
  vi.stubGlobal("WebSocket", undefined);
  expect(() => connect({ url: "http://127.0.0.1:1" })).toThrow(
    'There is no global WebSocket before Node 22. Accepted: { WebSocket } of the package "ws".',
  );
});
