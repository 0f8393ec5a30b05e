import { credentials, loadPackageDefinition, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEntrypoint, type Entrypoint } from "./entrypoint.ts";
import { addressOf, itemsClient, watchItems, type Item, type ItemsClient } from "./grpc-client.ts";

const env = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "grpc" };

let backend: Entrypoint & AsyncDisposable;
let client: ItemsClient;

beforeAll(async () => {
  backend = await startEntrypoint("grpc", env);
  client = itemsClient(backend.output());
});
afterAll(async () => {
  client.close();
  await backend[Symbol.asyncDispose]();
});

const get = (id: string) =>
  new Promise<{ error: ServiceError | null; item?: Item | undefined }>((resolve) => {
    client.Get({ id }, (error, item) => resolve({ error, item }));
  });

async function add(url: string, name: string): Promise<Item> {
  return (await (await fetch(`${url}/items`, { method: "POST", body: JSON.stringify({ name }) })).json()) as Item;
}

test("a unary call, a server stream and REST use the same items", async () => {
  const item = await add(backend.url, "seen by both");
  expect(await get(item.id)).toEqual({ error: null, item });
  expect((await get("none")).error).toMatchObject({ code: status.NOT_FOUND, details: "No such item." });
  const listed: Item[] = [];
  for await (const one of client.List({}) as AsyncIterable<Item>) listed.push(one);
  expect(listed).toContainEqual(item);
  expect(await (await fetch(`${backend.url}/health`)).json()).toMatchObject({ entrypoint: "grpc" });
});

test("a watcher receives each new item", async () => {
  using watched = await watchItems(backend.output());
  const item = await add(backend.url, "watched");
  expect(await watched.next()).toEqual(item);
});

test("gRPC calls are listed among the async contexts", async () => {
  await get("none");
  const { recentStores } = (await (await fetch(`${backend.url}/async-context-metrics`)).json()) as {
    recentStores: Record<string, unknown>[];
  };
  expect(recentStores).toContainEqual(expect.objectContaining({ rpc: "items.v1.Items/Get" }));
});

test("a message over 64 KiB is refused", async () => {
  expect((await get("x".repeat(70_000))).error).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
});

test("health and reflection respond", async () => {
  const require = createRequire(import.meta.url);
  const health = loadPackageDefinition(
    loadSync(require.resolve("grpc-health-check/proto/health/v1/health.proto"), { enums: String }),
  );
  type Health = new (...args: unknown[]) => {
    Check(request: { service: string }, callback: (error: unknown, body: unknown) => void): void;
    close(): void;
  };
  const { Health } = (health as unknown as { grpc: { health: { v1: { Health: Health } } } }).grpc.health.v1;
  const checker = new Health(addressOf(backend.output()), credentials.createInsecure());
  const body = await new Promise((resolve) =>
    checker.Check({ service: "items.v1.Items" }, (_, answer) => resolve(answer)),
  );
  checker.close();
  expect(body).toMatchObject({ status: "SERVING" });

  const reflectionProto = require.resolve("@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto");
  const reflection = loadPackageDefinition(loadSync(reflectionProto)) as unknown as {
    grpc: { reflection: { v1: { ServerReflection: new (...args: unknown[]) => Reflection } } };
  };
  interface Reflection {
    ServerReflectionInfo(metadata: Metadata): AsyncIterable<unknown> & { write(request: unknown): void; end(): void };
    close(): void;
  }
  const reflector = new reflection.grpc.reflection.v1.ServerReflection(
    addressOf(backend.output()),
    credentials.createInsecure(),
  );
  const call = reflector.ServerReflectionInfo(new Metadata());
  call.write({ listServices: "" });
  call.end();
  const answers: unknown[] = [];
  for await (const answer of call) answers.push(answer);
  reflector.close();
  expect(JSON.stringify(answers)).toContain("items.v1.Items");
});

test("a signal closes an open watch properly, and the process exits with code 0", async () => {
  await using leaving = await startEntrypoint("grpc", env);
  using watched = await watchItems(leaving.output());
  leaving.signal("SIGTERM");
  expect(await watched.next()).toBeUndefined();
  expect(await leaving.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});
