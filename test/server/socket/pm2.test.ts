/** The channel with a real PM2: metrics, actions, a missing daemon, and secrets. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IDLE, pm2, type Pm2 } from "../../support/pm2-daemon.ts";
import { repository, testServer, type TestServer } from "../support.ts";
import { open, type Client } from "./support.ts";
import { longTest } from "../../support/runs.ts";

const real = pm2();
const CANARY = "canary-of-an-app";

beforeAll(async () => {
  await real.startDaemon();
  const secrets = { APP_SECRET: `${CANARY}-env`, SVC_JWT_TOKEN_SECRET_KEY: `${CANARY}-jwt`, PLAIN: `${CANARY}-plain` };
  await real.run({ name: "api", env: secrets, args: [`--password=${CANARY}-args`] });
  await real.run({ name: "worker", namespace: "batch", env: secrets });
});

afterAll(() => real.end());

function start(home = real.home, files = repository()): Promise<TestServer> {
  return testServer({ repository: files, env: { PM2_HOME: home, HOME: files.root, PATH: process.env["PATH"] ?? "" } });
}

const ending = (own: Pm2): Pm2 & AsyncDisposable => ({ ...own, [Symbol.asyncDispose]: () => own.end() });

async function subscribed(server: TestServer, options: object = {}): Promise<Client> {
  const client = await open(server);
  client.send({ type: "subscribe", intervalMs: 500, ...options });
  await client.next("subscribed");
  return client;
}

/** Reads until a sample shows it. */
async function until(client: Client, name: string, status: string): Promise<void> {
  for (;;) {
    const { payload } = await client.next("metrics");
    if (payload.processes.some((one: { name: string; status: string }) => one.name === name && one.status === status))
      return;
  }
}

/** The records of a PM2, oldest first. */
function audit(home = real.home): Record<string, unknown>[] {
  const file = join(home, ".svcm/audit.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.map((line) => JSON.parse(line));
}

describe("metrics", () => {
  test("are sent immediately and continue", async () => {
    const client = await subscribed(await start());
    for (const _ of [1, 2]) {
      const { payload } = await client.next("metrics");
      expect(payload.environment).toBe("dev");
      expect(payload.processes.map(({ name }: { name: string }) => name)).toEqual(["api", "worker"]);
      expect(payload.host.memory.totalBytes).toBeGreaterThan(0);
    }
  });

  longTest(
    "of several environments are sent to their subscribers, and a later subscriber receives them immediately",
    async () => {
      const server = await start();
      const clients = [
        await subscribed(server),
        await subscribed(server, { environment: "staging", intervalMs: 2000 }),
      ];
      for (const [index, environment] of ["dev", "staging"].entries()) {
        expect((await clients[index]!.next("metrics")).payload.environment).toBe(environment);
      }
    },
  );

  test("measuring stops after the last subscription ends", async () => {
    let telemetry: { cost(): { samples: number } } | undefined;
    const files = repository();
    const server = await testServer({
      repository: files,
      env: { PM2_HOME: real.home, HOME: files.root },
      world: (ports) => {
        ({ telemetry } = ports);
        return ports;
      },
    });
    const watching = await subscribed(server);
    await watching.next("metrics");
    watching.socket.terminate();
    await watching.closed;
    // The server has noticed the end after another client has connected and disconnected.
    for (const _ of [1, 2]) {
      const probe = await open(server);
      probe.send({ type: "ping" });
      await probe.next("pong");
      probe.socket.close();
      await probe.closed;
    }
    await server.close();
    const { samples } = telemetry!.cost();
    expect(samples).toBeGreaterThan(0);
    expect(samples).toBeLessThan(10);
  });
});

describe("actions", () => {
  test("stop, start and restart are shown by the result, by the samples and by the audit log", async () => {
    const earlier = audit().length;
    const server = await start();
    const client = await subscribed(server, { environment: "staging" });
    for (const [action, status] of [
      ["stop", "stopped"],
      ["start", "online"],
      ["restart", "online"],
    ] as const) {
      client.send({ type: "action", action, name: "worker", requestId: action });
      expect(await client.next("action-result")).toMatchObject({
        ok: true,
        action,
        scope: "process",
        name: "worker",
        requestId: action,
        affected: [{ name: "worker", status }],
        skipped: [],
      });
      await until(client, "worker", status);
    }
    const records = audit().slice(earlier);
    expect(records.map(({ action, outcome }) => `${String(action)} ${String(outcome)}`)).toEqual(
      ["stop", "start", "restart"].flatMap((action) => [`process.${action} started`, `process.${action} succeeded`]),
    );
    const named = records.map(({ source, environment, processes }) => ({ source, environment, processes }));
    const worker = { name: "worker", pmId: expect.any(Number) as number, pm2Home: real.home };
    expect(named).toEqual(records.map(() => ({ source: "ws", environment: undefined, processes: [worker] })));
  });

  longTest("work by number and on a namespace", async () => {
    const client = await subscribed(await start());
    const { payload } = await client.next("metrics");
    const { pmId } = payload.processes.find(({ name }: { name: string }) => name === "api");
    client.send({ type: "action", action: "restart", pmId });
    expect(await client.next("action-result")).toMatchObject({
      ok: true,
      name: "api",
      pmId,
      affected: [{ name: "api", pmId }],
    });
    client.send({ type: "action", action: "start", pmId: 4711 });
    expect(await client.next("action-result")).toMatchObject({ ok: false, name: "4711", code: "PROCESS_NOT_FOUND" });
    client.send({ type: "action", action: "restart", scope: "namespace", namespace: "batch" });
    expect(await client.next("action-result")).toMatchObject({
      ok: true,
      name: "batch",
      affected: [{ name: "worker" }],
    });
  });

  longTest("start the apps of the ecosystem file and the daemon, and do not affect running processes", async () => {
    await using fresh = ending(pm2());
    const files = repository();
    const apps = ["declared", "beside"].map((name) => ({ name, script: "./idle.cjs" }));
    mkdirSync(join(files.root, "pm2"));
    writeFileSync(join(files.root, "pm2/ecosystem.dev.config.cjs"), `module.exports = ${JSON.stringify({ apps })};`);
    writeFileSync(join(files.root, "idle.cjs"), IDLE);
    const server = await start(fresh.home, files);
    const client = await open(server);
    const all = { type: "action", action: "start", scope: "ecosystem" };
    client.send({ ...all, name: "declared", requestId: "one" });
    const one = await client.next("action-result");
    expect(one).toMatchObject({
      ok: true,
      action: "start",
      scope: "ecosystem",
      name: "declared",
      requestId: "one",
      affected: [{ name: "declared", status: "online" }],
      skipped: [],
    });
    client.send(all);
    expect(await client.next("action-result")).toMatchObject({
      ok: true,
      name: "*",
      affected: [{ name: "beside", status: "online" }],
      skipped: [{ name: "declared", pmId: one.pmId, reason: "ALREADY_RUNNING" }],
    });
    const list = await fresh.link().list();
    expect(list.map(({ name, status }) => `${name} ${status}`)).toEqual(["declared online", "beside online"]);
    expect(audit(fresh.home).map(({ target, outcome }) => `${String(target)} ${String(outcome)}`)).toEqual(
      ["ecosystem declared", "ecosystem *"].flatMap((target) => [`${target} started`, `${target} succeeded`]),
    );
  });

  test.each([
    [{ action: "stop", name: "nothing" }, "PROCESS_NOT_FOUND"],
    [{ action: "stop", name: "all" }, "PROCESS_NOT_FOUND"],
    [{ action: "restart", scope: "namespace", namespace: "nothing" }, "PROCESS_NOT_FOUND"],
    [{ action: "stop" }, "INVALID_REQUEST"],
    [{ action: "start", scope: "ecosystem", name: "api" }, "PROCESS_NOT_FOUND"],
  ])("%j has the result %s", async (action, code) => {
    const client = await open(await start());
    client.send({ type: "action", ...action, requestId: "it" });
    const result = await client.next("action-result");
    expect(result).toMatchObject({ ok: false, code, requestId: "it", action: action.action });
    expect(result.error).toMatch(/^[A-Z].*\./);
  });

  test.each([
    [
      { action: "stop", scope: "namespace" },
      "(not given)",
      /^Invalid request\. "namespace" is missing\. With the scope .*"default"/,
    ],
    [{ action: "stop", scope: "namespace", pmId: 0 }, "(not given)", /a namespace or processes, not both/],
    [{ action: "stop", scope: "namespace", name: "nothing" }, "nothing", /No PM2 namespace .* "nothing"/],
    [{ action: "stop" }, "(not given)", /Neither a name/],
    [{ action: "stop", scope: "ecosystem" }, "*", /./],
  ])("the refusal of %j names the subject: %s", async (action, name, error) => {
    const client = await open(await start());
    client.send({ type: "action", ...action });
    const result = await client.next("action-result");
    expect(result).toMatchObject({ ok: false, name });
    expect(result.error).toMatch(error);
  });

  test("above the rate are refused, and the connection stays open", async () => {
    const files = repository();
    const limits = { actionRate: { perSecond: 0.001, burst: 1 } };
    const server = await testServer({ repository: files, env: { PM2_HOME: real.home, HOME: files.root }, limits });
    const client = await open(server);
    for (const requestId of ["1", "2"]) client.send({ type: "action", action: "stop", name: "nothing", requestId });
    const results = [await client.next("action-result"), await client.next("action-result")];
    const codes = Object.fromEntries(results.map(({ requestId, code }) => [requestId, code]));
    expect(codes).toEqual({ "1": "PROCESS_NOT_FOUND", "2": "RATE_LIMITED" });
    expect(results.find(({ code }) => code === "RATE_LIMITED").error).toMatch(
      /^Too many actions at once: this one was not carried out\. Accepted: \d\S* actions a second/,
    );
    client.send({ type: "ping" });
    expect((await client.next()).type).toBe("pong");
  });

  longTest("that run when the server closes finish, and their results are sent", async () => {
    const server = await start();
    const client = await open(server);
    client.send({ type: "action", action: "restart", name: "worker" });
    client.send({ type: "ping" });
    await client.next("pong");
    await server.close();
    expect(await client.next("action-result")).toMatchObject({ ok: true });
    expect(await client.closed).toMatchObject({ code: 1001 });
    expect(audit().at(-1)).toMatchObject({ outcome: "succeeded" });
  });
});

describe("without a running PM2", () => {
  test("the host is sent with PM2_NOT_RUNNING, an action is refused with it, and no daemon is started", async () => {
    const away = pm2();
    try {
      const client = await subscribed(await start(away.home));
      for (const _ of [1, 2]) {
        expect((await client.next()).type).toBe("host");
        expect(await client.next()).toMatchObject({ type: "error", code: "PM2_NOT_RUNNING" });
      }
      client.send({ type: "action", action: "restart", name: "api" });
      expect(await client.next("action-result")).toMatchObject({ ok: false, code: "PM2_NOT_RUNNING" });
      expect(away.pids()).toEqual([]);
    } finally {
      await away.end();
    }
  });

  longTest("metrics are sent when PM2 starts, and only the host when it dies", async () => {
    const late = pm2();
    try {
      const client = await subscribed(await start(late.home));
      await client.next("host");
      const daemon = await late.startDaemon();
      expect((await client.next("metrics")).payload.processes).toEqual([]);
      await daemon.signal("SIGKILL");
      await client.next("host");
      expect((await client.next("error")).code).toMatch(/^PM2_/);
    } finally {
      await late.end();
    }
  });
});

longTest("no frame contains a value of an app's environment or arguments", async () => {
  const server = await start();
  const client = await subscribed(server, { asyncContext: true });
  await client.next("metrics");
  for (const action of ["stop", "start", "restart"]) {
    client.send({ type: "action", action, name: "api" });
    await client.next("action-result");
    await client.next("metrics");
  }
  expect(client.texts.length).toBeGreaterThan(6);
  expect(client.texts.join("")).toContain('"api"');
  expect(client.texts.join("")).not.toContain(CANARY);
  expect(server.log.join("")).not.toContain(CANARY);
});
