/** The operational profiles of the runtime contract, each as processes: what it promises is served. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedRuntimeContract } from "../../../src/core/facts/packaged.generated.ts";
import { startEntrypoint, type EntrypointKind } from "./entrypoint.ts";
import { watchItems } from "./grpc-client.ts";
import { hasRedis, startRedis, type RunningServer } from "./servers.ts";

/** What each profile runs beside REST, and what that says of itself. */
const serves: Readonly<Record<string, { kind: EntrypointKind; says: RegExp }>> = {
  rest: { kind: "rest", says: /^REST \(express\) on/ },
  "websocket-rest-cluster": {
    kind: "websocket",
    says: /WebSocket \(cluster\) and REST \(express\) on .*, 2 workers$/m,
  },
  "websocket-rest-multi-host": { kind: "websocket", says: /WebSocket \(redis-streams\) and REST \(express\) on/ },
  "grpc-rest": { kind: "grpc", says: /gRPC on .*, REST \(express\) on/ },
};

test("the table of the contract is covered", () => {
  expect(Object.keys(packagedRuntimeContract.profiles)).toEqual(Object.keys(serves));
});

describe.each(Object.entries(packagedRuntimeContract.profiles))("%s", (name, { assignments }) => {
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

  test.skipIf(needsRedis && !hasRedis)("REST starts under it, and what it adds", async () => {
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
