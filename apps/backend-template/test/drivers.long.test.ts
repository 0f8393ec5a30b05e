/** The other database servers and brokers. A test without its server is skipped. */
import { describe, expect, test } from "vitest";
import { startEntrypoint } from "./entrypoint.ts";
import { hasMariaDb, hasPostgres, hasRabbit, startMariaDb, startPostgres, startRabbit } from "./servers.ts";
import {
  add,
  waitUntilAvailable,
  expectDelivered,
  expectIndependence,
  expectSharedItems,
  read,
  realtimeOf,
} from "./stores.ts";

describe("items", () => {
  test.skipIf(!hasPostgres)("the pool reconnects after PostgreSQL was unavailable (needs postgres)", async () => {
    await using server = await startPostgres();
    const url = `postgres://svcm@127.0.0.1:${server.port}/postgres`;
    await using backend = await startEntrypoint("rest", { SVC_DATABASE_DRIVER: "PostgreSQL", SVC_DATABASE_URL: url });
    await add(backend.url, "before");
    await server.restart();
    await waitUntilAvailable(`${backend.url}/items`);
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
  test.skipIf(!hasMariaDb)("in MySQL, in a database separate from the main one (needs mariadb)", async () => {
    await using server = await startMariaDb();
    await expectIndependence(realtimeOf("MySQL", `mysql://svcm:svcm@127.0.0.1:${server.port}/svcm`));
  });
});

describe("messages", () => {
  test.skipIf(!hasRabbit)("through RabbitMQ (needs rabbitmq-server)", async () => {
    await using rabbit = await startRabbit();
    const url = `amqp://guest:guest@127.0.0.1:${rabbit.port}`;
    await expectDelivered({ SVC_MESSAGE_MEDIATOR_ADAPTER: "rabbitmq", SVC_RABBITMQ_URL: url });
  });
});
