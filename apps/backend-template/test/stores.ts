/** Tests that every store and every message broker must pass. */
import { join } from "node:path";
import { io } from "socket.io-client";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { startEntrypoint } from "./entrypoint.ts";
import { itemsClient, watchItems, type Item } from "./grpc-client.ts";

export type Env = Record<string, string>;

export async function add(url: string, name: string): Promise<{ id: string }> {
  const response = await fetch(`${url}/items`, { method: "POST", body: JSON.stringify({ name }) });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string };
}

export async function read(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

/** A server that was just killed may first have to recover. */
export async function waitUntilAvailable(url: string): Promise<void> {
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
}

export async function expectSharedItems(env: Env): Promise<void> {
  await using first = await startEntrypoint("rest", env);
  await using second = await startEntrypoint("rest", env);
  const item = await add(first.url, 'it\'s "shared" — ünicode; DROP TABLE items');
  const many = await Promise.all(Array.from({ length: 30 }, (_, index) => add(second.url, `item ${index}`)));
  expect(await read(second.url, `/items/${item.id}`)).toEqual(item);
  expect(((await read(first.url, "/items")) as unknown[]).length).toBe(1 + many.length);
  expect((await fetch(`${second.url}/items/${item.id}`, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(`${first.url}/items/${item.id}`)).status).toBe(404);
  first.signal("SIGTERM");
  expect(await first.ended).toMatchObject({ code: 0, stderr: "" });
  await using third = await startEntrypoint("rest", env);
  expect(await read(third.url, "/items")).toHaveLength(many.length);
}

/** A REST process publishes, and a separate gRPC process handles the message. */
export async function expectDelivered(env: Env): Promise<void> {
  const realtime = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "grpc" };
  await using grpc = await startEntrypoint("grpc", { ...env, ...realtime });
  await using rest = await startEntrypoint("rest", env);
  using watched = await watchItems(grpc.output());
  const items = await Promise.all(["a", "b", "c"].map((name) => add(rest.url, name)));
  const delivered = await Promise.all(items.map(() => watched.next()));
  expect(new Set(delivered.map(({ id }) => id))).toEqual(new Set(items.map(({ id }) => id)));
}

const sqlite = (name: string) => ({
  SVC_DATABASE_DRIVER: "SQLite",
  SVC_DATABASE_FILE: join(temporaryFolder(), name),
});
export const realtimeOf = (driver: string, url: string) => ({
  SVC_REALTIME_API_DATABASE_DRIVER: driver,
  SVC_REALTIME_DATABASE_URL: url,
});

/** Returns the lists of REST and of the realtime API with these drivers, for both realtime protocols. */
export async function listItems(env: Env): Promise<{ main: string[]; realtime: string[] }> {
  await using grpc = await startRealtime("grpc", env);
  const client = itemsClient(grpc.output());
  onTestFinished(() => client.close());
  const names: string[] = [];
  for await (const { name } of client.List({}) as AsyncIterable<Item>) names.push(name);
  await using websocket = await startRealtime("websocket", env);
  const socket = io(websocket.url, { transports: ["websocket"], forceNew: true });
  onTestFinished(() => void socket.close());
  const { items } = (await socket.emitWithAck("items.list")) as { items: Item[] };
  expect(items.map(({ name }) => name)).toEqual(names);
  const main = (await read(websocket.url, "/items")) as Item[];
  return { main: main.map(({ name }) => name), realtime: names };
}

export function startRealtime(protocol: "grpc" | "websocket", env: Env) {
  return startEntrypoint(protocol, { ...env, SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });
}

export async function expectIndependence(realtime: Env): Promise<void> {
  const [one, two] = [sqlite("one.sqlite"), sqlite("two.sqlite")];
  await using backend = await startRealtime("grpc", { ...one, ...realtime });
  await add(backend.url, "kept");
  const { id } = await add(backend.url, "removed");
  expect((await fetch(`${backend.url}/items/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(await listItems({ ...one, ...realtime })).toEqual({ main: ["kept"], realtime: ["kept"] });
  expect(await listItems({ ...two, ...realtime })).toEqual({ main: [], realtime: ["kept"] });
  expect(await listItems(one)).toEqual({ main: ["kept"], realtime: [] });
  expect(await listItems({ ...one, ...realtime })).toEqual({ main: ["kept"], realtime: ["kept"] });
}
