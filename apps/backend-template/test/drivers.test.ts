/** Items, counters and messages on real servers. A test without its server is skipped. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { startEntrypoint } from "./entrypoint.ts";
import { hasMongo, hasPostgres, hasRedis, startDynalite, startMongo, startPostgres, startRedis } from "./servers.ts";
import {
  add,
  waitUntilAvailable,
  expectDelivered,
  expectIndependence,
  expectSharedItems,
  listItems,
  read,
  realtimeOf,
} from "./stores.ts";
import { longTest } from "../../../test/support/runs.ts";

/** Returns the packages of which a backend loads modules until it has answered a request. */
async function loadedPackages(env: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  const folder = temporaryFolder();
  await using backend = await startEntrypoint("rest", { ...env, NODE_V8_COVERAGE: folder });
  await add(backend.url, "one");
  backend.signal("SIGTERM");
  await backend.ended;
  const reports = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  return new Set(
    [...reports.join("\n").matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name = ""]) => name),
  );
}

describe("items", () => {
  longTest("a backend without a database does not load the query builder", async () => {
    const sqlite = { SVC_DATABASE_DRIVER: "SQLite", SVC_DATABASE_FILE: join(temporaryFolder(), "items.sqlite") };
    const [without, withSqlite] = [await loadedPackages({}), await loadedPackages(sqlite)];
    expect([without.has("express"), without.has("kysely"), withSqlite.has("kysely")]).toEqual([true, false, true]);
  });

  longTest("SQLite: several processes share one database", async () => {
    const file = join(temporaryFolder(), "deep/er/items.sqlite");
    await expectSharedItems({ SVC_DATABASE_DRIVER: "sqlite3", SVC_DATABASE_FILE: file });
  });

  longTest("DynamoDB: several processes share one table", async () => {
    await using server = await startDynalite();
    await expectSharedItems({
      SVC_DATABASE_DRIVER: "dynamo",
      SVC_DATABASE_URL: `http://127.0.0.1:${server.port}`,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    });
  });

  longTest.skipIf(!hasMongo)("MongoDB: several processes share one collection (needs mongod)", async () => {
    await using server = await startMongo();
    const url = `mongodb://127.0.0.1:${server.port}/svcm`;
    await expectSharedItems({ SVC_DATABASE_DRIVER: "Mongo", SVC_DATABASE_URL: url });
  });

  longTest.skipIf(!hasPostgres)("PostgreSQL, Aurora and RDS (needs postgres)", async () => {
    await using server = await startPostgres();
    const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
    await expectSharedItems({ SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url });
    for (const driver of ["Aurora", "RDS"]) {
      await using managed = await startEntrypoint("rest", { SVC_DATABASE_DRIVER: driver, SVC_DATABASE_URL: url });
      expect(await read(managed.url, "/items")).toHaveLength(30);
    }
  });
});

describe("the realtime API's own data", () => {
  longTest.skipIf(!hasPostgres)(
    "in PostgreSQL, in a database separate from the main one (needs postgres)",
    async () => {
      await using server = await startPostgres();
      const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
      await expectIndependence(realtimeOf("PostgreSQL", url));
      // The same database for both, in two tables.
      const both = { ...realtimeOf("RDS", url), SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url };
      expect(await listItems(both)).toEqual({ main: [], realtime: ["kept"] });
    },
  );
});

describe("MongoDB", () => {
  longTest.skipIf(!hasMongo)("has the realtime API's own data (needs mongod)", async () => {
    await using server = await startMongo();
    await expectIndependence(realtimeOf("Mongo", `mongodb://127.0.0.1:${server.port}/realtime`));
  });
});

describe("counters", () => {
  test("counters in memory start at zero after a restart", async () => {
    await using backend = await startEntrypoint("rest");
    await add(backend.url, "one");
    await add(backend.url, "two");
    expect(await read(backend.url, "/counters")).toEqual({ itemsCreated: 2 });
  });

  longTest.skipIf(!hasRedis)(
    "counters in Redis are shared and survive a restart of Redis (needs redis-server)",
    async () => {
      await using redis = await startRedis();
      const env = { SVC_KEYVALUESTORAGE_DRIVER: "redis", SVC_REDIS_PORT: `${redis.port}`, SVC_REDIS_DATABASE: "1" };
      await using first = await startEntrypoint("rest", env);
      await using second = await startEntrypoint("rest", env);
      await Promise.all([first, second, first, second].map(({ url }) => add(url, "one")));
      expect(await read(second.url, "/counters")).toEqual({ itemsCreated: 4 });
      await redis.restart();
      await waitUntilAvailable(`${first.url}/counters`);
      expect(await read(first.url, "/counters")).toEqual({ itemsCreated: 4 });
    },
  );
});

describe("messages", () => {
  longTest.skipIf(!hasRedis)("through BullMQ (needs redis-server)", async () => {
    await using redis = await startRedis();
    await expectDelivered({ SVC_MESSAGE_MEDIATOR_ADAPTER: "bullmq", SVC_REDIS_PORT: `${redis.port}` });
  });
});
