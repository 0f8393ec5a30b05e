import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { historyBody } from "../../src/core/api/history.ts";
import { historyFolder, MIB, stepsBetween, writeHistory } from "../support/recorded.ts";
import { startWebhookReceiver, RECEIVER_SECRET } from "../support/receiver.ts";
import { ask, post, repository, testServer, type Repository, type TestServer } from "./support.ts";
import { open } from "./socket/support.ts";
import { longTest } from "../support/runs.ts";

const HOUR = 3_600_000;
const RECORDER = "/api/history/recorder";

function recorded(): Repository & { readonly now: number } {
  const files = repository();
  const now = Date.now();
  writeHistory(files.root, stepsBetween(now - HOUR / 2, now), now);
  return { ...files, now };
}

const withYaml = (lines: readonly string[]): Repository => {
  const files = repository();
  const text = ["version: 1", "environments: { dev: [] }", "env: { dev: .env }", ...lines, ""].join("\n");
  writeFileSync(join(files.root, "svcm.yaml"), text);
  writeFileSync(join(files.root, ".env"), "");
  return files;
};

/** Reads until the recorder has written a step. */
async function firstStep(server: TestServer): Promise<void> {
  await expect.poll(async () => (await ask(server, "/api/history?series=host")).json.series).not.toEqual([]);
}

describe("GET /api/history", () => {
  test("returns columns of the selected series", async () => {
    const { now, ...files } = recorded();
    const server = await testServer({ repository: files });
    const query = `series=api/0:memoryBytes&from=${now - HOUR}&to=${now}&points=360`;
    const { status, json } = await ask(server, `/api/history?${query}`);
    expect(status).toBe(200);
    const { step, series, gaps, recorder } = historyBody.parse(json);
    expect({ step, names: series.map(({ app, pmId, metric }) => [app, pmId, metric]) }).toEqual({
      step: 10_000,
      names: [["api", 0, "memoryBytes"]],
    });
    expect(new Set(series[0]?.mean)).toEqual(new Set([null, 100 * MIB]));
    expect(gaps).toHaveLength(1);
    expect(recorder).toMatchObject({ on: false, problem: null });
  });

  test.each([
    ["points=0", /points/],
    ["points=2001", /points/],
    ["from=x", /from/],
    ["from=5&to=5", /from/],
    ["series=api:speed", /Accepted: .*memoryBytes/],
    ["app=api", /Accepted: series, from, to, points/],
  ])("refuses %s, and says what is accepted", async (query, words) => {
    const { status, json } = await ask(await testServer(), `/api/history?${query}`);
    expect(status).toBe(400);
    expect(json.details).toMatch(words);
  });
});

describe("the recorder of a server", () => {
  longTest("is off by default, and requests that switch it on or off are recorded", async () => {
    const server = await testServer();
    const folder = historyFolder(server.repository.root);
    expect(existsSync(folder)).toBe(false);
    const on = await post(server, { on: true }, {}, RECORDER);
    expect(on.json).toMatchObject({ on: true, by: "request" });
    await firstStep(server);
    const off = await post(server, { on: false }, {}, RECORDER);
    expect(off.json).toMatchObject({ on: false, by: null });
    expect(off.json.bytes).toBeGreaterThan(0);
    const records = readFileSync(server.repository.auditFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`)).toEqual([
      "history.record on started",
      "history.record on succeeded",
      "history.record off started",
      "history.record off succeeded",
    ]);
  });

  test.each([{}, { on: "yes" }, { on: true, every: 5 }])("refuses %j", async (body) => {
    expect((await post(await testServer(), body, {}, RECORDER)).status).toBe(400);
  });

  test("needs the token to be switched", async () => {
    const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "the-token" } });
    expect((await post(server, { on: true }, {}, RECORDER)).status).toBe(401);
    expect(existsSync(historyFolder(server.repository.root))).toBe(false);
  });

  longTest.each([
    ["flag", [], true],
    ["file", ["record: true"], false],
  ])("is switched on by the %s", async (by, lines, record) => {
    const server = await testServer({ repository: withYaml(lines), record });
    await firstStep(server);
    const { json } = await ask(server, "/api/history");
    expect(json.recorder).toMatchObject({ on: true, by });
  });

  longTest("ends with the server, and its lock is released", async () => {
    const server = await testServer({ record: true });
    await firstStep(server);
    await server.close();
    expect(readdirSync(historyFolder(server.repository.root)).filter((name) => name.includes("lock"))).toEqual([]);
  });
});

describe("a subscription", () => {
  longTest("begins with the recorded hour, and then samples follow", async () => {
    const client = await open(await testServer({ repository: recorded() }));
    client.send({ type: "subscribe", intervalMs: 500 });
    expect((await client.next()).type).toBe("subscribed");
    const { type, payload } = await client.next();
    expect(type).toBe("history");
    const names = payload.series.map(({ app, metric }: { app: string; metric: string }) => `${app} ${metric}`);
    expect(names).toContain("api memoryBytes");
    expect(names).toContain("null cpuPercent");
    expect(payload.series[0].mean.length).toBeLessThanOrEqual(181);
    expect((await client.next()).type).toBe("host");
  });

  longTest.each([
    ["nothing was recorded", repository, {}],
    ["the client does not want it", recorded, { history: false }],
  ])("begins with a sample if %s", async (_why, files, subscription) => {
    const client = await open(await testServer({ repository: files() }));
    client.send({ type: "subscribe", intervalMs: 500, ...subscription });
    expect([(await client.next()).type, (await client.next()).type]).toEqual(["subscribed", "host"]);
  });
});

describe("alerts", () => {
  const yaml = (more: string): string[] => [
    "alerts:",
    "  webhook: HOOK",
    "  webhookSecret: KEY",
    "  heartbeat: BEAT",
    `  rules: { pm2-away: ${more}, disk: off }`,
  ];

  longTest("reach a real webhook, with a heartbeat, and contain no secret", async () => {
    const [hook, beat] = [await startWebhookReceiver(), await startWebhookReceiver()];
    const env = { HOOK: hook.url, BEAT: beat.url, KEY: RECEIVER_SECRET };
    const files = withYaml(yaml("0s"));
    const server = await testServer({ repository: files, env });
    await Promise.all([hook.count(1), beat.count(1)]);
    const message = JSON.parse(hook.received[0]?.body ?? "");
    expect(message).toMatchObject({
      version: 1,
      state: "firing",
      rule: "pm2-away",
      subject: "PM2",
      workspace: files.root,
    });
    expect(hook.received[0]?.headers["x-svcm-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
    const everything = JSON.stringify([
      message,
      server.log,
      await ask(server, "/api/history").then(({ text }) => text),
    ]);
    expect(everything).not.toContain(RECEIVER_SECRET);
  });

  longTest("that cannot be delivered are logged in one line, without the address", async () => {
    const { url } = await startWebhookReceiver((response) => response.writeHead(410).end());
    const server = await testServer({ repository: withYaml(yaml("0s")), env: { HOOK: url, KEY: "k" } });
    await server.logged(/alert not delivered: The webhook answered with status 410/);
    await server.logged(/BEAT must be set/);
    expect(server.log.join("\n")).not.toContain(RECEIVER_SECRET);
  });
});
