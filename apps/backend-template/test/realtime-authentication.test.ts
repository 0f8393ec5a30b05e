import { credentials, loadPackageDefinition, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { createRequire } from "node:module";
import { io, type Socket } from "socket.io-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { firstOrAll, longTest } from "../../../test/support/runs.ts";
import { basic, bearer, CANARIES, PASSWORD, withAlice } from "./accounts.ts";
import { startEntrypoint } from "./entrypoint.ts";
import { addressOf, itemsClient, type Item } from "./grpc-client.ts";

const realtime = (protocol: string) => ({ SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });
const good = basic("alice", PASSWORD);
const wrong = basic("alice", "wrong");

interface Refusal extends Error {
  readonly data?: { readonly status: number; readonly retryAfterSeconds?: number };
}

async function add(url: string, name: string): Promise<Item> {
  const headers = { authorization: good };
  return (await (
    await fetch(`${url}/items`, { method: "POST", body: JSON.stringify({ name }), headers })
  ).json()) as Item;
}

describe.each(firstOrAll(["websocket", "polling"] as const))("WebSocket over %s", (transport) => {
  async function connect(url: string, shown: { extraHeaders?: Record<string, string>; auth?: object }) {
    const socket: Socket = io(url, { transports: [transport], forceNew: true, reconnection: false, ...shown });
    onTestFinished(() => void socket.close());
    const refused = await new Promise<Refusal | undefined>((resolve) => {
      socket.once("connect", () => resolve(undefined));
      socket.once("connect_error", (error: Refusal) => resolve(error));
    });
    return { socket, refused: refused && { message: refused.message, data: refused.data } };
  }

  test("accepts a password or a token, in the header of the handshake or in its auth object", async () => {
    await using backend = await startEntrypoint("websocket", withAlice(realtime("websocket")));
    const token = await bearer();
    const item = await add(backend.url, "seen");
    for (const authorization of [good, token]) {
      for (const shown of [{ extraHeaders: { authorization } }, { auth: { authorization } }]) {
        const { socket } = await connect(backend.url, shown);
        expect(await socket.emitWithAck("items.list")).toEqual({ items: [item] });
      }
    }
  });

  longTest("clients without valid credentials are refused before any data is sent, and locked out", async () => {
    await using backend = await startEntrypoint("websocket", withAlice(realtime("websocket")));
    const unauthorized = { message: "Unauthorized.", data: { status: 401 } };
    const stranger = await connect(backend.url, {});
    const received: unknown[] = [];
    stranger.socket.onAny((...event: unknown[]) => received.push(event));
    expect(stranger.refused).toEqual(unauthorized);
    for (const auth of [{ authorization: 5 }, { authorization: await bearer({ aud: "another" }) }]) {
      expect((await connect(backend.url, { auth })).refused).toEqual(unauthorized);
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      expect((await connect(backend.url, { auth: { authorization: wrong } })).refused).toEqual(unauthorized);
    }
    const { refused } = await connect(backend.url, { auth: { authorization: good } });
    expect(refused).toMatchObject({ message: "Too many login attempts.", data: { status: 429 } });
    expect(refused?.data?.retryAfterSeconds).toBeGreaterThan(890);
    expect(await (await fetch(`${backend.url}/items`, { headers: { authorization: good } })).json()).toEqual({
      error: "Too many login attempts.",
    });
    expect(received).toEqual([]);
    expect(backend.output()).not.toMatch(CANARIES);
  });
});

describe("gRPC", () => {
  const shown = (authorization?: string): Metadata => {
    const metadata = new Metadata();
    if (authorization !== undefined) metadata.set("authorization", authorization);
    return metadata;
  };

  longTest("unary calls and streams need credentials, and a lockout applies to both", async () => {
    await using backend = await startEntrypoint("grpc", withAlice(realtime("grpc")));
    const item = await add(backend.url, "seen");
    const client = itemsClient(backend.output());
    onTestFinished(() => client.close());
    const get = (authorization?: string) =>
      new Promise<ServiceError | Item | undefined>((resolve) => {
        client.Get({ id: item.id }, shown(authorization), (error, found) => resolve(error ?? found));
      });
    const list = async (authorization?: string): Promise<unknown> => {
      const items: Item[] = [];
      try {
        for await (const one of client.List({}, shown(authorization)) as AsyncIterable<Item>) items.push(one);
        return items;
      } catch (error) {
        return error;
      }
    };
    const unauthenticated = { code: status.UNAUTHENTICATED, details: "Unauthorized." };
    expect(await get()).toMatchObject(unauthenticated);
    expect(await list()).toMatchObject(unauthenticated);
    expect(await get(await bearer({ iss: "another" }))).toMatchObject(unauthenticated);
    for (const authorization of [good, await bearer()]) {
      expect(await get(authorization)).toEqual(item);
      expect(await list(authorization)).toEqual([item]);
    }
    for (let attempt = 0; attempt < 3; attempt++) expect(await get(wrong)).toMatchObject(unauthenticated);
    for (const refused of [await get(good), await list(good)]) {
      expect(refused).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: "Too many login attempts." });
      expect(Number((refused as ServiceError).metadata.get("retry-after")[0])).toBeGreaterThan(890);
    }
    expect(backend.output()).not.toMatch(CANARIES);
  });

  longTest("health needs no credentials, reflection does", async () => {
    await using backend = await startEntrypoint("grpc", withAlice(realtime("grpc")));
    const require = createRequire(import.meta.url);
    const load = (file: string) => loadPackageDefinition(loadSync(require.resolve(file), { enums: String }));
    type Service = new (
      ...args: unknown[]
    ) => Record<string, (...args: unknown[]) => AsyncIterable<unknown>> & { close(): void };
    const health = load("grpc-health-check/proto/health/v1/health.proto") as unknown as {
      grpc: { health: { v1: { Health: Service } } };
    };
    const checker = new health.grpc.health.v1.Health(addressOf(backend.output()), credentials.createInsecure());
    onTestFinished(() => checker.close());
    const body = await new Promise((resolve) => {
      checker["Check"]?.({ service: "" }, (error: unknown, answer: unknown) => resolve(error ?? answer));
    });
    expect(body).toMatchObject({ status: "SERVING" });
    const reflection = load("@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto") as unknown as {
      grpc: { reflection: { v1: { ServerReflection: Service } } };
    };
    const reflector = new reflection.grpc.reflection.v1.ServerReflection(
      addressOf(backend.output()),
      credentials.createInsecure(),
    );
    onTestFinished(() => reflector.close());
    const call = reflector["ServerReflectionInfo"]?.();
    const reading = call?.[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });
});
