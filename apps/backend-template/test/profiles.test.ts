import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { svcm } from "../../../test/support/command-line.ts";
import { runToEnd, startEntrypoint, type EntrypointKind } from "./entrypoint.ts";
import { watchItems } from "./grpc-client.ts";
import { basic, PASSWORD, withAlice } from "./accounts.ts";
import { hasPostgres, hasRedis, startPostgres, startRedis, type RunningServer } from "./servers.ts";
import { firstOrAll, longTest, sampleOrAll } from "../../../test/support/runs.ts";

const serves: Readonly<Record<string, { kind: EntrypointKind; says: RegExp }>> = {
  rest: { kind: "rest", says: /^REST \(express\) on/ },
  "websocket-rest-cluster": {
    kind: "websocket",
    says: /WebSocket \(cluster\) and REST \(express\) on .*, 2 workers$/m,
  },
  "websocket-rest-multi-host": { kind: "websocket", says: /WebSocket \(redis-streams\) and REST \(express\) on/ },
  "grpc-rest": { kind: "grpc", says: /gRPC on .*, REST \(express\) on/ },
};

const profiles = Object.entries(packagedRuntimeContract.profiles);

test("the test has every profile of the contract", () => {
  expect(Object.keys(packagedRuntimeContract.profiles)).toEqual(Object.keys(serves));
});

describe.each(sampleOrAll(profiles, profiles.slice(-1)))("%s", (name, { assignments }) => {
  const { kind, says } = serves[name] ?? { kind: "rest", says: /./ };
  const needsRedis = Object.values(assignments).includes("<REDIS_URL>");
  let redis: RunningServer | undefined;

  beforeAll(async () => {
    if (needsRedis && hasRedis) redis = await startRedis();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  const env = (): Record<string, string> => {
    const filled: Record<string, string> = { "<integer>": "2", "<REDIS_URL>": `redis://127.0.0.1:${redis?.port}` };
    return Object.fromEntries(Object.entries(assignments).map(([key, value]) => [key, filled[value] ?? value]));
  };

  test.skipIf(needsRedis && !hasRedis)("REST and the profile's realtime entrypoint start", async () => {
    await using rest = await startEntrypoint("rest", env());
    expect(await (await fetch(`${rest.url}/health`)).json()).toMatchObject({ status: "ok", framework: "express" });
    if (kind === "rest") return expect(rest.output()).toMatch(says);
    await using realtime = await startEntrypoint(kind, env());
    expect(realtime.output()).toMatch(says);
    expect(await (await fetch(`${realtime.url}/health`)).json()).toMatchObject({ entrypoint: kind });
    if (kind === "grpc") (await watchItems(realtime.output()))[Symbol.dispose]();
    else expect((await fetch(`${realtime.url}/socket.io/?EIO=4&transport=polling`)).status).toBe(200);
  });
});

longTest.each(firstOrAll(["dev", "staging", "ci"]))("the env file of %s is good, and its apps may start", (name) => {
  expect(svcm(["env", "check", "-e", name])).toMatchObject({ status: 0, stdout: `.env.${name} is valid.\n` });
  const apps =
    { dev: ["restapi", "websocketapi", "grpcapi"], staging: ["restapi", "websocketapi"], ci: [] }[name] ?? [];
  expect(svcm(["startup", "check", "rest", "-e", name]).status).toBe(0);
  for (const app of apps) {
    const entrypoint = app === "restapi" ? "rest" : app.replace("api", "");
    expect(svcm(["startup", "check", entrypoint, "-e", name, "--app", `${name}-${app}`])).toMatchObject({ status: 0 });
  }
});

const deployed = [
  ["production", ["rest", "grpc"]],
  ["staging", ["rest", "websocket"]],
] as const;
describe.each(firstOrAll(deployed))("the env file of %s", (name, kinds) => {
  const file = join(import.meta.dirname, `../src/config/.env.${name}`);
  const values = parseEnv(readFileSync(file, "utf8")) as Record<string, string>;

  longTest.skipIf(!hasPostgres || !hasRedis)(
    "starts with the settings that come from the machine, and asks for credentials (needs postgres and redis-server)",
    async () => {
      await using redis = await startRedis();
      await using postgres = await startPostgres();
      const url = `postgres://svcm@127.0.0.1:${postgres.port}/postgres`;
      const machine = {
        SVC_AUTH_USERS_FILE: withAlice()["SVC_AUTH_USERS_FILE"] ?? "",
        SVC_DATABASE_URL: url,
        SVC_REALTIME_DATABASE_URL: url,
      };
      const own = { SVC_REDIS_PORT: `${redis.port}`, SVC_WEBSOCKET_REDIS_URL: `redis://127.0.0.1:${redis.port}` };
      for (const kind of kinds) {
        await using backend = await startEntrypoint(kind, { ...values, ...own, ...machine });
        expect((await fetch(`${backend.url}/items`)).status).toBe(401);
        const authorization = basic("alice", PASSWORD);
        expect((await fetch(`${backend.url}/items`, { headers: { authorization } })).status).toBe(200);
      }
      const { code, stderr } = await runToEnd("rest", { ...values, ...own, SVC_DATABASE_URL: url });
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("SVC_AUTH_USERS_FILE") as string,
      });
    },
  );
});
