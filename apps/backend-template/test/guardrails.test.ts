/** A refused start exits with code 1 and the reason on stderr, before it imports or opens anything. */
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { everyThirdOrAll, firstOrAll, longTest, sampleOrAll } from "../../../test/support/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { databaseDrivers } from "../src/items/open-items.ts";
import { carriedDrivers } from "../src/process/startup-plan.ts";
import { runToEnd } from "./entrypoint.ts";

const realtime = { SVC_REALTIME_API: "yes" };
const FRAMEWORKS = ["derby", "sails", "hyper-express", "Express", "koa"];

describe.each(["rest", "websocket", "grpc"] as const)("%s", (entrypoint) => {
  const env = { ...realtime, SVC_REALTIME_API_PROTOCOL: entrypoint === "grpc" ? "grpc" : "websocket" };

  const testOfOne = entrypoint === "rest" ? test : longTest;

  test.each(sampleOrAll(FRAMEWORKS, entrypoint === "rest" ? FRAMEWORKS.slice(-2) : []))(
    "framework %s fails fast",
    async (framework) => {
      const { code, stdout, stderr } = await runToEnd(entrypoint, { ...env, SVC_HTTP_FRAMEWORK: framework });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`The ${entrypoint} entrypoint must not start:`);
      expect(stderr).toContain(`SVC_HTTP_FRAMEWORK: unsupported value "${framework}"`);
      expect(stderr).toContain("accepted: express, fastify");
    },
  );

  testOfOne("a database driver for browsers is refused", async () => {
    const { code, stderr } = await runToEnd(entrypoint, { ...env, SVC_DATABASE_DRIVER: "IndexedDB" });
    expect(code).toBe(1);
    expect(stderr).toContain("IndexedDB is a browser driver");
  });
});

const realtimeEntrypoints = [
  ["websocket", "grpc"],
  ["grpc", "websocket"],
] as const;

describe.each(firstOrAll(realtimeEntrypoints))("%s", (entrypoint, other) => {
  test("does not start if the realtime API is off or uses another protocol", async () => {
    const off = await runToEnd(entrypoint, { SVC_REALTIME_API: "no", SVC_REALTIME_API_PROTOCOL: entrypoint });
    expect(off.code).toBe(1);
    expect(off.stderr).toContain(`the ${entrypoint} entrypoint needs SVC_REALTIME_API=yes; it is "no"`);
    const mismatch = await runToEnd(entrypoint, { ...realtime, SVC_REALTIME_API_PROTOCOL: other });
    expect(mismatch.code).toBe(1);
    expect(mismatch.stderr).toContain(
      `the ${entrypoint} entrypoint needs SVC_REALTIME_API_PROTOCOL=${entrypoint}; it is "${other}"`,
    );
  });
});

describe("a driver that the backend has no adapter for", () => {
  const carried: Readonly<Record<string, readonly string[]>> = carriedDrivers();

  test("the list of drivers in svcm.startup.json equals the adapters", () => {
    expect(carried["SVC_DATABASE_DRIVER"]).toEqual(databaseDrivers);
    const accepted = valuesOf("SVC_REALTIME_API_DATABASE_DRIVER");
    expect(carried["SVC_REALTIME_API_DATABASE_DRIVER"]?.toSorted()).toEqual(
      databaseDrivers.filter((driver) => accepted.includes(driver)).toSorted(),
    );
  });

  test.each(
    firstOrAll([
      ["rest", "SVC_DATABASE_DRIVER"],
      ["websocket", "SVC_REALTIME_API_DATABASE_DRIVER"],
      ["grpc", "SVC_REALTIME_API_DATABASE_DRIVER"],
    ] as const),
  )("%s refuses other values of %s before its start", async (entrypoint, key) => {
    const others = valuesOf(key).filter((driver) => !carried[key]?.includes(driver));
    expect(others.length).toBeGreaterThan(1);
    for (const driver of key === "SVC_DATABASE_DRIVER" ? sampleOrAll(others, others.slice(0, 2)) : firstOrAll(others)) {
      const env = { ...realtime, SVC_REALTIME_API_PROTOCOL: entrypoint === "rest" ? "websocket" : entrypoint };
      const { code, stdout, stderr } = await runToEnd(entrypoint, { ...env, [key]: driver });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(
        `${key}: this backend has no adapter for "${driver}"; accepted: ${carried[key]?.join(", ")}`,
      );
    }
  });

  function valuesOf(key: string): readonly string[] {
    const spec = packagedRuntimeContract.keys[key];
    return spec?.kind === "enum" ? spec.values : [];
  }
});

const connections = [
  [{ SVC_DATABASE_DRIVER: "pg" }, "SVC_DATABASE_DRIVER=PostgreSQL needs SVC_DATABASE_URL"],
  [{ SVC_DATABASE_DRIVER: "RDS", SVC_DATABASE_URL: "mongodb://u:canary@h/" }, "SVC_DATABASE_DRIVER=RDS needs"],
  [{ SVC_DATABASE_DRIVER: "pg", SVC_DATABASE_URL: "postgres://u:canary@127.0.0.1:1/x" }, "ECONNREFUSED"],
  [{ SVC_DATABASE_DRIVER: "MySQL", SVC_DATABASE_URL: "mysql://u:canary@127.0.0.1:1/x" }, "ECONNREFUSED"],
  [{ SVC_KEYVALUESTORAGE_DRIVER: "redis", SVC_REDIS_PORT: "1", SVC_REDIS_PASSWORD: "canary" }, "127.0.0.1:1 cannot be"],
  [{ SVC_MESSAGE_MEDIATOR_ADAPTER: "bullmq", SVC_REDIS_URL: "redis://:canary@127.0.0.1:1" }, "127.0.0.1:1 cannot be"],
  [{ SVC_MESSAGE_MEDIATOR_ADAPTER: "rabbitmq" }, "rabbitmq needs SVC_RABBITMQ_URL"],
  [{ SVC_MESSAGE_MEDIATOR_ADAPTER: "rabbitmq", SVC_RABBITMQ_URL: "amqp://u:canary@127.0.0.1:1" }, "ECONNREFUSED"],
  [{ SVC_HTTP_PORT: "80a" }, 'SVC_HTTP_PORT: "80a" is not a port'],
  [{ SVC_CORS_ALLOWED_ORIGINS: "https://a.com, *" }, 'SVC_CORS_ALLOWED_ORIGINS: "*" is not an origin; accepted: https'],
  [{ SVC_CORS_ALLOWED_ORIGINS: "https://a.com/" }, '"https://a.com/" is not an origin'],
] as const;
longTest.each(everyThirdOrAll(connections))(
  "a connection that is missing, invalid or not reachable: %o",
  async (env, words) => {
    const { code, stdout, stderr } = await runToEnd("rest", env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("canary");
  },
);

const realtimeConnections = [
  [
    { SVC_REALTIME_DATABASE_URL: "" },
    "SVC_REALTIME_API_DATABASE_DRIVER=Mongo needs SVC_REALTIME_DATABASE_URL; accepted: a URL that begins with mongodb://, mongodb+srv://, or memory: for",
  ],
  [{ SVC_REALTIME_DATABASE_URL: "mysql://u:canary@h/" }, "needs SVC_REALTIME_DATABASE_URL"],
  [{ SVC_REALTIME_DATABASE_URL: "mongodb://u:canary@127.0.0.1:1/x" }, "ECONNREFUSED"],
  [
    {
      SVC_REALTIME_API_DATABASE_DRIVER: "PostgreSQL",
      SVC_REALTIME_DATABASE_URL: "postgres://u:canary@127.0.0.1:1/x",
    },
    "ECONNREFUSED",
  ],
] as const;
longTest.each(firstOrAll(realtimeConnections))(
  "a realtime database that is missing, invalid or not reachable: %o",
  async (env, words) => {
    for (const kind of ["websocket", "grpc"] as const) {
      const { code, stderr } = await runToEnd(kind, { ...realtime, SVC_REALTIME_API_PROTOCOL: kind, ...env });
      expect(code).toBe(1);
      expect(stderr).toContain(words);
      expect(stderr).not.toContain("canary");
    }
  },
);

test("if a framework's package is not installed, the error names the package and the command that installs it", async () => {
  const template = join(import.meta.dirname, "..");
  const copy = temporaryFolder();
  cpSync(join(template, "dist"), join(copy, "dist"), { recursive: true });
  cpSync(join(template, "package.json"), join(copy, "package.json"));
  mkdirSync(join(copy, "node_modules"));
  for (const name of ["svcm", "kysely"]) {
    symlinkSync(join(template, "node_modules", name), join(copy, "node_modules", name));
  }
  const script = join(copy, "dist/interface/HTTP/start-rest-api.js");
  const env = { PATH: process.env["PATH"], SVC_HTTP_FRAMEWORK: "fastify", SVC_KEYVALUESTORAGE_DRIVER: "inmemory" };
  const ended = await promisify(execFile)(process.execPath, [script], { env }).catch((error: unknown) => error);
  expect(ended).toMatchObject({
    code: 1,
    stderr: "SVC_HTTP_FRAMEWORK=fastify needs a package that is not installed: npm install fastify\n",
  });
});
