/** Items, counters and messages on real servers; what is not installed here is skipped, visibly. */
import { join } from "node:path";
import { io } from "socket.io-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { startEntrypoint } from "./entrypoint.ts";
import { itemsClient, watchItems, type Item } from "./grpc-client.ts";
import {
  hasMariaDb,
  hasPostgres,
  hasRabbit,
  hasRedis,
  startMariaDb,
  startPostgres,
  startRabbit,
  startRedis,
} from "./servers.ts";

type Env = Record<string, string>;

async function add(url: string, name: string): Promise<{ id: string }> {
  const answer = await fetch(`${url}/items`, { method: "POST", body: JSON.stringify({ name }) });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: string };
}

async function read(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

/** Asks, answer by answer, until it is a good one: a server that was killed first recovers. */
async function answersAgain(url: string): Promise<void> {
  while ((await fetch(url)).status !== 200);
}

/** Two processes see the same items in a shared store, and a new process finds them. */
async function expectSharedItems(env: Env): Promise<void> {
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

/** A REST process publishes, and another gRPC process handles: watched items arrive. */
async function expectDelivered(env: Env): Promise<void> {
  const realtime = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "grpc" };
  await using grpc = await startEntrypoint("grpc", { ...env, ...realtime });
  await using rest = await startEntrypoint("rest", env);
  using watched = await watchItems(grpc.output());
  const items = await Promise.all(["a", "b", "c"].map((name) => add(rest.url, name)));
  const seen = await Promise.all(items.map(() => watched.next()));
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(items.map(({ id }) => id)));
}

describe("items", () => {
  test("SQLite, shared by processes", async () => {
    const file = join(temporaryFolder(), "deep/er/items.sqlite");
    await expectSharedItems({ SVC_DATABASE_DRIVER: "sqlite3", SVC_DATABASE_FILE: file });
  });

  test.skipIf(!hasPostgres)("PostgreSQL, Aurora and RDS (needs postgres)", async () => {
    await using server = await startPostgres();
    const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
    await expectSharedItems({ SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url });
    for (const driver of ["Aurora", "RDS"]) {
      await using managed = await startEntrypoint("rest", { SVC_DATABASE_DRIVER: driver, SVC_DATABASE_URL: url });
      expect(await read(managed.url, "/items")).toHaveLength(30);
    }
  });

  test.skipIf(!hasPostgres)("the pool reconnects after PostgreSQL was unavailable (needs postgres)", async () => {
    await using server = await startPostgres();
    const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
    await using backend = await startEntrypoint("rest", { SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url });
    await add(backend.url, "before");
    await server.restart();
    await answersAgain(`${backend.url}/items`);
    expect(await read(backend.url, "/items")).toHaveLength(1);
  });

  test.skipIf(!hasMariaDb)("MySQL, and RDS with its protocol (needs mariadb)", async () => {
    await using server = await startMariaDb();
    const url = `mysql://svcm:svcm@127.0.0.1:${server.port}/svcm`;
    await expectSharedItems({ SVC_DATABASE_DRIVER: "MySQL", SVC_DATABASE_URL: url });
    await using managed = await startEntrypoint("rest", { SVC_DATABASE_DRIVER: "RDS", SVC_DATABASE_URL: url });
    expect(await read(managed.url, "/items")).toHaveLength(30);
  });
});

describe("the realtime API's own data", () => {
  const sqlite = (name: string) => ({
    SVC_DATABASE_DRIVER: "SQLite",
    SVC_DATABASE_FILE: join(temporaryFolder(), name),
  });
  const realtimeOf = (driver: string, url: string) => ({
    SVC_REALTIME_API_DATABASE_DRIVER: driver,
    SVC_REALTIME_DATABASE_URL: url,
  });

  /** Returns the lists of REST and of the realtime API under these drivers, by both realtime protocols. */
  async function listed(env: Env): Promise<{ main: string[]; realtime: string[] }> {
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

  function startRealtime(protocol: "grpc" | "websocket", env: Env) {
    return startEntrypoint(protocol, { ...env, SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });
  }

  /** Neither store knows the other's driver, and none loses anything when the other's is changed. */
  async function expectIndependence(realtime: Env): Promise<void> {
    const [one, two] = [sqlite("one.sqlite"), sqlite("two.sqlite")];
    await using backend = await startRealtime("grpc", { ...one, ...realtime });
    await add(backend.url, "kept");
    const { id } = await add(backend.url, "removed");
    expect((await fetch(`${backend.url}/items/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await listed({ ...one, ...realtime })).toEqual({ main: ["kept"], realtime: ["kept"] });
    expect(await listed({ ...two, ...realtime })).toEqual({ main: [], realtime: ["kept"] });
    expect(await listed(one)).toEqual({ main: ["kept"], realtime: [] });
    expect(await listed({ ...one, ...realtime })).toEqual({ main: ["kept"], realtime: ["kept"] });
  }

  test.skipIf(!hasPostgres)("in PostgreSQL, apart from the main one (needs postgres)", async () => {
    await using server = await startPostgres();
    const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
    await expectIndependence(realtimeOf("PostgreSQL", url));
    // The same database for both, in two tables.
    const both = { ...realtimeOf("RDS", url), SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url };
    expect(await listed(both)).toEqual({ main: [], realtime: ["kept"] });
  });

  test.skipIf(!hasMariaDb)("in MySQL, apart from the main one (needs mariadb)", async () => {
    await using server = await startMariaDb();
    await expectIndependence(realtimeOf("MySQL", `mysql://svcm:svcm@127.0.0.1:${server.port}/svcm`));
  });
});

describe("counters", () => {
  test("stores in memory begin empty after a restart", async () => {
    await using backend = await startEntrypoint("rest");
    await add(backend.url, "one");
    await add(backend.url, "two");
    expect(await read(backend.url, "/counters")).toEqual({ itemsCreated: 2 });
  });

  test.skipIf(!hasRedis)("in Redis, they are shared and survive its restart (needs redis-server)", async () => {
    await using redis = await startRedis();
    const env = { SVC_KEYVALUESTORAGE_DRIVER: "redis", SVC_REDIS_PORT: `${redis.port}`, SVC_REDIS_DATABASE: "1" };
    await using first = await startEntrypoint("rest", env);
    await using second = await startEntrypoint("rest", env);
    await Promise.all([first, second, first, second].map(({ url }) => add(url, "one")));
    expect(await read(second.url, "/counters")).toEqual({ itemsCreated: 4 });
    await redis.restart();
    await answersAgain(`${first.url}/counters`);
    expect(await read(first.url, "/counters")).toEqual({ itemsCreated: 4 });
  });
});

describe("messages", () => {
  test.skipIf(!hasRedis)("through BullMQ (needs redis-server)", async () => {
    await using redis = await startRedis();
    await expectDelivered({ SVC_MESSAGE_MEDIATOR_ADAPTER: "bullmq", SVC_REDIS_PORT: `${redis.port}` });
  });

  test.skipIf(!hasRabbit)("through RabbitMQ (needs rabbitmq-server)", async () => {
    await using rabbit = await startRabbit();
    const url = `amqp://guest:guest@127.0.0.1:${rabbit.port}`;
    await expectDelivered({ SVC_MESSAGE_MEDIATOR_ADAPTER: "rabbitmq", SVC_RABBITMQ_URL: url });
  });
});
