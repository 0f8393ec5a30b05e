import type { ErrorCode } from "../../src/core/api/issue.ts";
/** The client against a real server and real sockets. The test provides the samples. */
import { once } from "node:events";
import { onTestFinished, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  connect,
  OutcomeUnknownError,
  type Client,
  type ClientOptions,
  type WatchFrame,
} from "../../src/client/index.ts";
import type * as generated from "../../src/client/frames.generated.ts";
import type * as schemas from "../../src/core/api/frames.ts";
import { testServer, type ServerOptions } from "../server/support.ts";
import { manualTelemetry, hostSample, sample, withTelemetry } from "../server/socket/hand-telemetry.ts";
import { longTest } from "../support/runs.ts";
import { tunnel } from "./tunnel.ts";
import { VISIBLE_ASCII } from "../support/tokens.ts";

const TOKEN = "a-token-of-good-length";
const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN };

async function start(options: ServerOptions = {}) {
  const telemetry = manualTelemetry();
  return { telemetry, server: await testServer({ world: withTelemetry(telemetry), ...options }) };
}

function client(url: string, options: Partial<ClientOptions> = {}): Client & { readonly states: string[] } {
  const states: string[] = [];
  const made = connect({ url, WebSocket, onState: (state) => states.push(state), ...options });
  onTestFinished(() => made.close());
  return Object.assign(Object.create(made), {
    states,
    act: made.act.bind(made),
    watch: made.watch.bind(made),
    close: made.close.bind(made),
  });
}

async function next(frames: AsyncIterator<WatchFrame>): Promise<WatchFrame> {
  const { value, done } = await frames.next();
  if (done) throw new Error("the watch has ended");
  return value;
}

describe("watch", () => {
  test("yields the frames of the server, and unsubscribes when the loop ends", async () => {
    const { telemetry, server } = await start();
    const watching = client(server.url);
    const seen: string[] = [];
    const giving = telemetry.watchers(1).then(() => telemetry.give(sample(1)));
    for await (const frame of watching.watch({ environment: "staging", intervalMs: 500 })) {
      seen.push(frame.type);
      expect(telemetry.watched).toEqual(["staging 500"]);
      if (frame.type === "metrics") expect(frame.payload).toEqual(sample(1).payload);
      break;
    }
    await giving;
    await telemetry.watchers(0);
    expect(seen).toEqual(["metrics"]);
    expect(watching.states).toEqual(["live"]);
  });

  test("yields the host and the error while PM2 cannot be read", async () => {
    const { telemetry, server } = await start();
    const frames = client(server.url).watch()[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(hostSample);
    expect((await first).type).toBe("host");
    expect(await next(frames)).toEqual({ type: "error", code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." });
  });

  test("joins what changed to whole samples, also for a slow reader and after the connection was lost", async () => {
    const { telemetry, server } = await start();
    const { url, cut } = await tunnel(server.port);
    const watching = client(url);
    const frames = watching.watch({ changes: true })[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(sample(1, 5000));
    expect(await first).toEqual({ type: "metrics", payload: sample(1, 5000).payload });
    for (const count of [2, 3]) telemetry.give(sample(count, 5000));
    await watching.act({ action: "stop", name: "nothing" });
    expect(await next(frames)).toEqual({ type: "metrics", payload: sample(3, 5000).payload });
    cut();
    await telemetry.watchers(0);
    await telemetry.watchers(1);
    for (const count of [4, 5]) telemetry.give(sample(count, 6000));
    await watching.act({ action: "stop", name: "nothing" });
    expect(await next(frames)).toEqual({ type: "metrics", payload: sample(5, 6000).payload });
  });

  test("a slow reader receives the newest sample", async () => {
    const { telemetry, server } = await start();
    const watching = client(server.url);
    const frames = watching.watch()[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(sample(1));
    await first;
    for (let count = 2; count <= 5; count++) telemetry.give(sample(count));
    // The response to an action arrives after all samples.
    await watching.act({ action: "stop", name: "nothing" });
    expect(await next(frames)).toMatchObject({ payload: sample(5).payload });
  });

  test.each([{ intervalMs: 499 }, { environment: "qa" }])("throws the server's refusal: %j", async (options) => {
    const { server } = await start();
    await expect(next(client(server.url).watch(options)[Symbol.asyncIterator]())).rejects.toMatchObject({
      name: "ServiceError",
      code: "INVALID_SUBSCRIPTION",
      message: expect.stringContaining("500 to 2000"),
    });
  });

  test("a second watch ends the first one", async () => {
    const { telemetry, server } = await start();
    const watching = client(server.url);
    const first = watching.watch()[Symbol.asyncIterator]();
    const ended = first.next();
    await telemetry.watchers(1);
    watching.watch({ environment: "staging" });
    expect(await ended).toEqual({ done: true, value: undefined });
    await telemetry.watching(["staging 1000"]);
  });

  test("an aborted signal or a closed client ends it", async () => {
    const { telemetry, server } = await start();
    const watching = client(server.url);
    const stop = new AbortController();
    const ended = watching.watch({ signal: stop.signal })[Symbol.asyncIterator]().next();
    await telemetry.watchers(1);
    stop.abort();
    expect((await ended).done).toBe(true);
    const again = watching.watch()[Symbol.asyncIterator]().next();
    watching.close();
    expect((await again).done).toBe(true);
    await telemetry.watchers(0);
    expect((await watching.watch()[Symbol.asyncIterator]().next()).done).toBe(true);
    await expect(watching.act({ action: "stop", name: "a" })).rejects.toThrow("closed");
  });

  test("subscribes again after a lost connection, and reports the state in the meantime", async () => {
    const { telemetry, server } = await start();
    const way = await tunnel(server.port);
    const watching = client(way.url);
    const frames = watching.watch({ environment: "staging" })[Symbol.asyncIterator]();
    for (const round of [1, 2, 3]) {
      const frame = next(frames);
      await telemetry.watchers(1);
      telemetry.give(sample(round));
      expect(await frame).toMatchObject({ payload: sample(round).payload });
      way.cut();
      await telemetry.watchers(0);
    }
    expect(telemetry.watched).toEqual([]);
    expect(watching.states.slice(0, 5)).toEqual(["live", "connecting", "live", "connecting", "live"]);
  });

  test("continues when the server is available again", async () => {
    const first = await start();
    const watching = client(first.server.url);
    const frames = watching.watch()[Symbol.asyncIterator]();
    const frame = next(frames);
    await first.telemetry.watchers(1);
    first.telemetry.give(sample(1));
    await frame;
    const later = next(frames);
    await first.server.close();
    const second = await start({ port: first.server.port });
    await second.telemetry.watchers(1);
    second.telemetry.give(sample(2));
    expect(await later).toMatchObject({ payload: sample(2).payload });
  });
});

describe("the token", () => {
  test("is sent with the upgrade, and never in the address", async () => {
    const { telemetry, server } = await start({ host: "0.0.0.0", env });
    const frames = client(server.url.replace("0.0.0.0", "127.0.0.1"), { token: TOKEN }).watch()[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(sample(1));
    expect((await first).type).toBe("metrics");
    expect(server.log.join("")).not.toContain(TOKEN);
  });

  test("a token function is called before each attempt to connect, and again while it returns no token", async () => {
    const { telemetry, server } = await start({ host: "0.0.0.0", env });
    let calls = 0;
    const token = () => (++calls === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve(TOKEN));
    const frames = client(server.url.replace("0.0.0.0", "127.0.0.1"), { token }).watch()[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(sample(7));
    expect((await first).type).toBe("metrics");
    expect(calls).toBe(2);
  });

  longTest.each([undefined, "wrong"])("%s is refused for good, not tried again", async (token) => {
    const { server } = await start({ host: "0.0.0.0", env });
    const refusing = client(server.url.replace("0.0.0.0", "127.0.0.1"), { token });
    const unauthorized = { code: "UNAUTHORIZED", message: expect.stringContaining("Unauthorized.") };
    await expect(next(refusing.watch()[Symbol.asyncIterator]())).rejects.toMatchObject(unauthorized);
  });

  test("may have every visible character of ASCII", async () => {
    const token = VISIBLE_ASCII;
    const { telemetry, server } = await start({ host: "0.0.0.0", env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
    const frames = client(server.url.replace("0.0.0.0", "127.0.0.1"), { token }).watch()[Symbol.asyncIterator]();
    const first = next(frames);
    await telemetry.watchers(1);
    telemetry.give(sample(1));
    expect((await first).type).toBe("metrics");
  });
});

describe("act", () => {
  test("each call resolves with its own result, also if the action is refused", async () => {
    const { server } = await start({ env });
    const results = await Promise.all([
      client(server.url).act({ action: "stop", name: "one" }),
      client(server.url, { token: TOKEN }).act({ action: "restart", pmId: 7 }),
    ]);
    expect(results[0]).toMatchObject({ ok: false, action: "stop", name: "one", error: "Unauthorized." });
    expect(results[1]).toMatchObject({ ok: false, action: "restart", pmId: 7 });
    expect(results[1]?.error).not.toBe("Unauthorized.");
  });

  test("rejects an action that does not exist", async () => {
    const { server } = await start();
    await expect(client(server.url).act({ action: "stop", pmId: -1 })).rejects.toMatchObject({
      code: "INVALID_ACTION",
    });
  });

  test("is not sent again after a lost connection, because its outcome is unknown", async () => {
    const frames: string[] = [];
    const { createServer: createHttp } = await import("node:http");
    const { WebSocketServer } = await import("ws");
    const http = createHttp().listen(0, "127.0.0.1");
    const sockets = new WebSocketServer({ server: http });
    onTestFinished(() => void http.close());
    const reconnected = new Promise<void>((resolve) => {
      sockets.on("connection", (socket) => {
        if (frames.length > 0) resolve();
        socket.on("message", (data: Buffer) => {
          frames.push(data.toString());
          socket.terminate();
        });
      });
    });
    await once(http, "listening");
    const address = http.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const acting = client(`http://127.0.0.1:${address.port}`);
    await expect(acting.act({ action: "restart", name: "api" })).rejects.toBeInstanceOf(OutcomeUnknownError);
    await reconnected;
    acting.close();
    expect(frames).toHaveLength(1);
  });

  test("rejects immediately if it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client("http://127.0.0.1:9").act({ action: "stop", name: "a" }, { signal })).rejects.toThrow("enough");
  });
});

test.each(["ftp://h", "http://u:p@h", "nothing"])("%s is not an address", (url) => {
  expect(() => connect({ url, WebSocket })).toThrow(TypeError);
});

test("the generated types are those of the schemas", () => {
  type Frozen<T> = T extends ErrorCode ? string : T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
  type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
  const isClientFrame: Same<generated.ClientFrame, schemas.ClientFrame> = true;
  const isServerFrame: Same<Frozen<generated.ServerFrame>, Frozen<schemas.ServerFrame>> = true;
  expect([isClientFrame, isServerFrame]).toEqual([true, true]);
});
