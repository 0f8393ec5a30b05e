/** The record of a process that leaves the worker has only the allowed fields, with the true values. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Processes } from "../../src/core/pm2/port-processes.ts";
import { canonicalArguments, canonicalValue } from "../../src/core/pm2/normalise.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";

const CANARY = "canary-77aa";
let own: Pm2;
let link: Processes;

/** Reports a custom metric, as PM2's library does, and then that it is ready. */
const REPORTING = `
process.send({ type: "axm:monitor", data: {
  "Requests": { value: 12, type: "counter", unit: "" },
  "Uploaded": { value: "7.48", unit: "MiB" },
  "Queue": { value: 3, unit: "of ${CANARY}-value" },
  "Unit alone": { unit: "ms" },
  "Unit of another kind": { value: 2, unit: { secret: "${CANARY}-unit" } },
  "Loop": { value: "3 ms" },
  "Object": { value: { secret: "${CANARY}-metric" } },
  "Store": { value: "redis://u:${CANARY}-userinfo@h" },
  "Opened": { value: "with ${CANARY}-value" },
  "SVC_REDIS_PASSWORD": { value: "${CANARY}-nowhere-else", unit: "text" },
  "Of another ${CANARY}-of-another": { value: 1, unit: "${CANARY}-of-another" },
} });
process.send("ready");
${IDLE}`;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  link = own.link();
  await own.run({
    name: "full",
    code: REPORTING,
    wait_ready: true,
    namespace: "backend",
    args: `--token ${CANARY}-argument "two words"`,
    node_args: ["--no-warnings", `--title=${CANARY}-interpreter`],
    env: { PASSWORD: `${CANARY}-value`, SVC_HTTP_PORT: "3001", NUMBER: 5, FLAG: true, lower_case: "x" },
  });
  for (const [name, port] of Object.entries({ high: "65536", text: "80a", zero: "0", number: 8080 }))
    await own.run({ name, env: { SVC_HTTP_PORT: port } });
  await own.run({ name: "another", env: { API_TOKEN: `${CANARY}-of-another` } });
  await own.run({ name: "cluster", instances: 2 });
});
afterAll(() => own.end());

async function named(name: string): Promise<ProcessRecord> {
  return (await link.list()).find((record) => record.name === name)!;
}

test("a record contains no value of an environment and no argument", async () => {
  expect(JSON.stringify(await link.list())).not.toContain(CANARY);
});

test("every field of a record equals the property of the process", async () => {
  const full = await named("full");
  expect(full).toMatchObject({
    pmId: 0,
    namespace: "backend",
    status: "online",
    restartCount: 0,
    unstableRestarts: 0,
    execMode: "fork",
    cwd: own.folder,
    watching: false,
    exitCode: null,
    customMetrics: {
      Requests: 12,
      Loop: "3 ms",
      Store: "redis://[REDACTED]@h",
      Opened: "with [REDACTED]",
      SVC_REDIS_PASSWORD: "[REDACTED]",
      "Of another [REDACTED]": 1,
    },
    httpPort: 3001,
  });
  expect(own.pids()).toContain(full.pid);
  expect(full.script).toMatch(/app-\d+\.cjs$/);
  expect(full.startedAt).toBeGreaterThan(Date.now() - 600_000);
  expect(full.uniqueId).toMatch(/^[\da-f-]{36}$/);
  const cluster = (await link.list()).filter(({ name }) => name === "cluster");
  expect(cluster.map(({ execMode, instances }) => [execMode, instances])).toEqual([
    ["cluster", 2],
    ["cluster", 2],
  ]);
});

test("a metric has the unit that PM2 knows, masked in the same way as the metric; other metrics have no unit", async () => {
  const { customMetrics, customMetricUnits } = await named("full");
  expect(customMetrics).toMatchObject({ Uploaded: "7.48", "Unit of another kind": 2 });
  expect(customMetricUnits).toMatchObject({
    Uploaded: "MiB",
    Queue: "of [REDACTED]",
    "Of another [REDACTED]": "[REDACTED]",
  });
  for (const name of ["Requests", "Unit alone", "Unit of another kind"])
    expect(customMetricUnits).not.toHaveProperty([name]);
});

test("only a valid port is returned as a port", async () => {
  const ports = await Promise.all(["high", "text", "zero", "number"].map(async (name) => (await named(name)).httpPort));
  expect(ports).toEqual([null, null, null, 8080]);
});

test("declared values are compared only by digests of the same link", async () => {
  const { declaration } = await named("full");
  expect(declaration.argsDigest).toBe(link.digest(canonicalArguments(["--token", `${CANARY}-argument`, "two words"])));
  expect(declaration.argsDigest).toBe(link.digest(canonicalArguments(`--token ${CANARY}-argument "two words"`)));
  expect(declaration.interpreterArgsDigest).toBe(
    link.digest(canonicalArguments(["--no-warnings", `--title=${CANARY}-interpreter`])),
  );
  const declared = { PASSWORD: `${CANARY}-value`, SVC_HTTP_PORT: "3001", NUMBER: 5, FLAG: true };
  const digests = Object.entries(declared).map(([key, value]) => [key, link.digest(canonicalValue(value))]);
  expect(declaration.environment).toMatchObject(Object.fromEntries(digests));
  expect(declaration.environment["PASSWORD"]).not.toBe(link.digest(canonicalValue("another")));
  expect(own.link().digest("x")).not.toBe(own.link().digest("x"));
});

test("no field of PM2's own record is read as a variable", async () => {
  for (const { name, declaration } of await link.list()) {
    const lower = Object.keys(declaration.environment).filter((key) => /^[a-z]/.test(key));
    expect(lower.filter((key) => key !== name)).toEqual(name === "full" ? ["lower_case", "unique_id"] : ["unique_id"]);
  }
});

test("a stopped process has no pid and no start time", async () => {
  await link.stop(await named("text"));
  expect(await named("text")).toMatchObject({ status: "stopped", pid: null, startedAt: null });
});
