import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { entrypoints } from "../../../src/core/api/names.ts";
import { packagedRuntimeContract as contract } from "../../../src/core/project/facts/packaged.generated.ts";
import { decideStartup } from "../../../src/core/startup/contract.ts";
import type { Entrypoint, EnvValues } from "../../../src/core/startup/read.ts";
import { checkStartup, requireStartup, StartupRefused } from "../../../src/core/startup/index.ts";

const facts = { cpuCores: 6 };
const realtime = (protocol: string): EnvValues => ({ SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });

function planFor(entrypoint: Entrypoint, values: EnvValues) {
  const decision = decideStartup(contract, entrypoint, values, facts);
  if (!decision.mayStart) throw new Error(inspect(decision.issues));
  return decision.plan;
}

function reasonsAgainst(entrypoint: Entrypoint, values: EnvValues): string[] {
  return decideStartup(contract, entrypoint, values, facts).issues.map(({ code, path }) => `${code} ${path.join(".")}`);
}

describe("REST", () => {
  test("starts without any value, with the defaults of the contract", () => {
    expect(planFor("rest", {})).toEqual({
      entrypoint: "rest",
      httpFramework: "express",
      databaseDriver: "InMemory",
      keyValueDriver: "redis",
      messageMediator: "inmemory",
    });
  });

  test("ignores the realtime switch", () => {
    for (const value of ["yes", "no"]) expect(planFor("rest", { SVC_REALTIME_API: value }).entrypoint).toBe("rest");
  });
});

describe("guardrail 1: an unsupported framework fails fast, for every entrypoint", () => {
  test.each(["derby", "sails", "hyper-express", "Express", "koa", "constructor"])("%s", (framework) => {
    for (const entrypoint of entrypoints) {
      const values = { ...realtime(entrypoint), SVC_HTTP_FRAMEWORK: framework };
      expect(reasonsAgainst(entrypoint, values)).toEqual(["STARTUP_VALUE_UNSUPPORTED SVC_HTTP_FRAMEWORK"]);
    }
  });
});

describe("guardrail 3: realtime starts only if it is on and only with the entrypoint of the protocol", () => {
  const switches = [undefined, "", "yes", "no", "YES", "true"];
  const protocols = [undefined, "", "websocket", "grpc", "http"];
  const cases = switches.flatMap((isOn) => protocols.map((protocol) => ({ isOn, protocol })));

  test.each(cases)("SVC_REALTIME_API=$isOn SVC_REALTIME_API_PROTOCOL=$protocol", ({ isOn, protocol }) => {
    const values = { SVC_REALTIME_API: isOn, SVC_REALTIME_API_PROTOCOL: protocol };
    const effective = protocol === undefined || protocol === "" ? "websocket" : protocol;
    for (const entrypoint of ["websocket", "grpc"] as const) {
      const decision = decideStartup(contract, entrypoint, values, facts);
      expect(decision.mayStart).toBe(isOn === "yes" && effective === entrypoint);
    }
  });

  test("is refused with the protocol and the required value", () => {
    const { issues } = decideStartup(contract, "grpc", {}, facts);
    expect(issues.map(({ message }) => message)).toEqual([
      'the grpc entrypoint needs SVC_REALTIME_API=yes; it is "no"',
      'the grpc entrypoint needs SVC_REALTIME_API_PROTOCOL=grpc; it is "websocket"',
    ]);
  });
});

describe("drivers", () => {
  test.each([
    ["postgres", "PostgreSQL"],
    ["PG", "PostgreSQL"],
    ["MongoDB", "Mongo"],
    ["mongo", "Mongo"],
    ["SQLServer", "MSSQL"],
    ["ms sql", "MSSQL"],
    ["memory", "InMemory"],
    ["In-Memory", "InMemory"],
    ["dynamo", "DynamoDB"],
    ["mysql", "MySQL"],
    [" SQLite ", "SQLite"],
  ])("the main database accepts %j as %s", (given, driver) => {
    expect(planFor("rest", { SVC_DATABASE_DRIVER: given }).databaseDriver).toBe(driver);
  });

  test("the realtime database spells SQL Server with a space", () => {
    const values = { ...realtime("grpc"), SVC_REALTIME_API_DATABASE_DRIVER: "mssql", SVC_DATABASE_DRIVER: "ms sql" };
    expect(planFor("grpc", values)).toMatchObject({ databaseDriver: "MSSQL", realtime: { databaseDriver: "MS SQL" } });
  });

  test("IndexedDB is refused on a server, and accepted with a client factory", () => {
    const values = { SVC_DATABASE_DRIVER: "indexeddb" };
    expect(reasonsAgainst("rest", values)).toEqual(["STARTUP_BROWSER_DRIVER SVC_DATABASE_DRIVER"]);
    const withClient = decideStartup(contract, "rest", values, { ...facts, hasIndexedDbClient: true });
    expect(withClient).toMatchObject({ mayStart: true, plan: { databaseDriver: "IndexedDB" } });
  });

  test.each([
    ["inmemory", "inmemory"],
    ["In-Memory", "inmemory"],
    ["memory", "inmemory"],
    ["redis", "redis"],
    ["anything else", "redis"],
    ["", "redis"],
  ])("key-value storage %j is %s", (given, driver) => {
    expect(planFor("rest", { SVC_KEYVALUESTORAGE_DRIVER: given }).keyValueDriver).toBe(driver);
  });

  test("an unknown mediator or database is refused", () => {
    const values = { SVC_MESSAGE_MEDIATOR_ADAPTER: "kafka", SVC_DATABASE_DRIVER: "toString" };
    expect(reasonsAgainst("rest", values)).toEqual([
      "STARTUP_VALUE_UNSUPPORTED SVC_DATABASE_DRIVER",
      "STARTUP_VALUE_UNSUPPORTED SVC_MESSAGE_MEDIATOR_ADAPTER",
    ]);
  });
});

describe("the WebSocket adapter", () => {
  const websocket = (values: EnvValues): EnvValues => ({ ...realtime("websocket"), ...values });

  test("is in memory by default", () => {
    expect(planFor("websocket", websocket({})).realtime?.websocket).toEqual({ adapter: "memory", workers: 1 });
  });

  test("cluster takes the number of workers from the key, or else from the CPU cores", () => {
    const cluster = { SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster" };
    expect(planFor("websocket", websocket(cluster)).realtime?.websocket).toEqual({ adapter: "cluster", workers: 6 });
    const four = websocket({ ...cluster, SVC_WEBSOCKET_CLUSTER_WORKERS: "4" });
    expect(planFor("websocket", four).realtime?.websocket?.workers).toBe(4);
  });

  test.each(["0", "-1", "1.5", "four", "1e3"])("a worker count of %s is refused", (count) => {
    const values = websocket({ SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster", SVC_WEBSOCKET_CLUSTER_WORKERS: count });
    expect(reasonsAgainst("websocket", values)).toEqual(["STARTUP_VALUE_UNSUPPORTED SVC_WEBSOCKET_CLUSTER_WORKERS"]);
  });

  test("redis-streams uses its own URL, or else the global one", () => {
    const streams = { SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams", SVC_REDIS_URL: "redis://u:canary@global:6379" };
    const fallback = planFor("websocket", websocket(streams)).realtime?.websocket;
    expect(fallback?.redisUrlKey).toBe("SVC_REDIS_URL");
    expect(fallback?.redisUrl?.reveal()).toBe("redis://u:canary@global:6379");
    expect(JSON.stringify(fallback) + inspect(fallback)).not.toContain("canary");
    const own = planFor("websocket", websocket({ ...streams, SVC_WEBSOCKET_REDIS_URL: "redis://own:6379" }));
    expect(own.realtime?.websocket?.redisUrlKey).toBe("SVC_WEBSOCKET_REDIS_URL");
    expect(own.realtime?.websocket?.redisUrl?.reveal()).toBe("redis://own:6379");
  });

  test("redis-streams without a URL, or with credentials in its own, is refused", () => {
    const streams = { SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams" };
    expect(reasonsAgainst("websocket", websocket(streams))).toEqual([
      "STARTUP_REDIS_URL_MISSING SVC_WEBSOCKET_REDIS_URL",
    ]);
    const leaking = websocket({ ...streams, SVC_WEBSOCKET_REDIS_URL: "redis://u:canary@h" });
    const { issues } = decideStartup(contract, "websocket", leaking, facts);
    expect(issues.map(({ code }) => code)).toEqual(["STARTUP_VALUE_UNSUPPORTED"]);
    expect(JSON.stringify(issues)).not.toContain("canary");
  });

  test("is irrelevant to gRPC", () => {
    const values = { ...realtime("grpc"), SVC_WEBSOCKET_SOCKETIO_ADAPTER: "redis-streams" };
    expect(planFor("grpc", values).realtime).toEqual({ protocol: "grpc", databaseDriver: "Mongo" });
  });
});

describe("svcm/startup", () => {
  test("refuses with every reason, one per line, and shows no secret", () => {
    const values = { SVC_HTTP_FRAMEWORK: "derby", SVC_REDIS_PASSWORD: "canary", SVC_DATABASE_DRIVER: "IndexedDB" };
    expect(() => requireStartup("rest", values)).toThrow(StartupRefused);
    try {
      requireStartup("rest", values);
    } catch (error) {
      expect(inspect(error)).not.toContain("canary");
      expect((error as StartupRefused).message.split("\n")).toHaveLength(3);
    }
  });

  test("counts this machine's cores by default", () => {
    const decision = checkStartup("websocket", { ...realtime("websocket"), SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster" });
    if (!decision.mayStart) throw new Error("refused");
    expect(decision.plan.realtime?.websocket?.workers).toBeGreaterThanOrEqual(1);
  });
});
