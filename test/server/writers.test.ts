/** Many concurrent clients: no acknowledged write is lost, and no reader sees a partial write. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { envReadBody } from "../../src/core/api/bodies.ts";
import { svcm } from "../support/svcm.ts";
import { ask, ENV, post, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";

const target: Record<string, string> = {
  SVC_HTTP_FRAMEWORK: "total-js",
  SVC_REALTIME_API: "no",
  SVC_REALTIME_API_PROTOCOL: "grpc",
  SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL",
  SVC_DATABASE_DRIVER: "Cassandra",
  SVC_KEYVALUESTORAGE_DRIVER: "redis",
  SVC_MESSAGE_MEDIATOR_ADAPTER: "bullmq",
  SVC_WEBSOCKET_SOCKETIO_ADAPTER: "cluster",
  SVC_WEBSOCKET_REDIS_URL: "redis://cache:6379",
};

longTest("50 clients write single keys over HTTP, some on the command line, with as many readers", async () => {
  const server = await testServer();
  const [before, pairs] = [(await ask(server, ENV)).json.values, Object.entries(target)];
  const writers = Array.from({ length: 50 }, async (_, index) => {
    const [key, value] = pairs[index % pairs.length] ?? ["", ""];
    const answer = await post(server, { values: { [key]: value } });
    expect(answer.status).toBe(200);
    expect(answer.json.values[key]).toBe(value);
    // Acknowledged changes are visible to every later reader.
    expect((await ask(server, ENV)).json.values[key]).toBe(value);
  });
  const commands = pairs.slice(0, 6).map(async ([key, value]) => {
    const { code, stdout } = await svcm(["env", "set", `${key}=${value}`, "--json"], { root: server.repository.root });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).values[key]).toBe(value);
  });
  const readers = Array.from({ length: 50 }, async () => {
    const { json, status } = await ask(server, ENV);
    expect(status).toBe(200);
    for (const [key, value] of Object.entries<string>(envReadBody.parse(json).values))
      expect([before[key], target[key]]).toContain(value);
  });
  await Promise.all([...writers, ...commands, ...readers]);
  expect((await ask(server, ENV)).json.values).toEqual({ ...before, ...target });
  const records = readFileSync(server.repository.auditFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const changed = records.filter(({ outcome }) => outcome === "succeeded").flatMap(({ keys }) => keys);
  expect(new Set(changed)).toEqual(new Set(Object.keys(target)));
  expect(changed).toHaveLength(Object.keys(target).length);
});

longTest("20 clients increment a number with If-Match, and no increment is lost", async () => {
  const server = await testServer();
  const key = "SVC_WEBSOCKET_REDIS_URL";
  await post(server, { values: { [key]: "redis://count:1" } });
  const countUp = async (): Promise<void> => {
    for (;;) {
      const { json, headers } = await ask(server, ENV);
      const count = Number(new URL(json.values[key]).port);
      const { status } = await post(
        server,
        { values: { [key]: `redis://count:${count + 1}` } },
        { "if-match": headers.etag ?? "" },
      );
      if (status === 200) return;
      expect(status).toBe(412);
    }
  };
  await Promise.all(Array.from({ length: 20 }, countUp));
  expect((await ask(server, ENV)).json.values[key]).toBe("redis://count:21");
});
