import { expect } from "vitest";
import { serve, svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const DEV = `${CONFIG_FOLDER}/.env.dev`;

/** Each key is written once, by one writer, so a lost update would leave the old value. */
const onceEach: readonly [string, string][] = [
  ["SVC_HTTP_FRAMEWORK", "loopback"],
  ["SVC_REALTIME_API", "yes"],
  ["SVC_REALTIME_API_PROTOCOL", "grpc"],
  ["SVC_DATABASE_DRIVER", "SQLite"],
  ["SVC_REALTIME_API_DATABASE_DRIVER", "MS SQL"],
  ["SVC_KEYVALUESTORAGE_DRIVER", "inmemory"],
  ["SVC_MESSAGE_MEDIATOR_ADAPTER", "bullmq"],
  ["SVC_WEBSOCKET_SOCKETIO_ADAPTER", "cluster"],
];

longTest("50 writers at once, command line and HTTP, lose nothing", async () => {
  const workspace = makeWorkspace();
  const { url, stop } = await serve({ root: workspace.root });
  const byHttp = async (key: string, value: string): Promise<void> => {
    const response = await fetch(`${url}/api/runtime/env`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ environment: "dev", values: { [key]: value } }),
    });
    expect(response.status, await response.text()).toBe(200);
  };
  const byCommand = async (key: string, value: string): Promise<void> => {
    const { code, stderr } = await svcm(["env", "set", `${key}=${value}`], { root: workspace.root });
    expect(code, stderr).toBe(0);
  };
  const noise = Array.from({ length: 42 }, (_, index): [string, string] => [
    "SVC_WEBSOCKET_REDIS_URL",
    `redis://h${index}:6379`,
  ]);
  const writes = [...noise.slice(0, 21), ...onceEach, ...noise.slice(21)];
  await Promise.all(writes.map(([key, value], index) => (index % 2 === 0 ? byHttp : byCommand)(key, value)));

  const lines = workspace.read(DEV).split("\n");
  for (const [key, value] of onceEach) expect(lines).toContain(`${key}=${value === "MS SQL" ? "'MS SQL'" : value}`);
  expect(lines.filter((line) => line.startsWith("SVC_WEBSOCKET_REDIS_URL=redis://h"))).toHaveLength(1);
  expect(lines).toHaveLength(GOOD_ENV.split("\n").length + 1);
  const audit = JSON.parse((await svcm(["audit", "--limit", "100", "--json"], { root: workspace.root })).stdout) as {
    records: { outcome: string; source: string }[];
  };
  expect(audit.records).toHaveLength(50);
  expect(new Set(audit.records.map(({ outcome }) => outcome))).toEqual(new Set(["succeeded"]));
  expect(audit.records.filter(({ source }) => source === "cli")).toHaveLength(25);
  expect(await stop()).toBe(0);
});
