import { appendFileSync } from "node:fs";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect, type LogsFrame } from "../../src/client/index.ts";
import { logsBody } from "../../src/core/api/logs.ts";
import { quietApp } from "../support/quiet-app.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { ask, repository, testServer, type ServerOptions } from "./support.ts";
import { open } from "./socket/support.ts";

const real = pm2();
const CANARY = "canary-of-a-log-7f3a";
const TOKEN = "a-token-of-good-length";
let path = "";

beforeAll(async () => {
  await real.startDaemon();
  path = await quietApp(real, "api", Array.from({ length: 50 }, (_, at) => `line ${at}\n`).join(""), {
    env: { API_TOKEN: CANARY },
  });
});
afterAll(() => real.end());

function start({ env = {}, ...more }: ServerOptions = {}) {
  const files = repository();
  const own = { PM2_HOME: real.home, HOME: files.root, PATH: process.env["PATH"] ?? "" };
  return testServer({ repository: files, env: { ...own, ...env }, ...more });
}

test("GET /api/logs returns a page, and its cursor leads to the previous page", async () => {
  const server = await start();
  const { status, json } = await ask(server, "/api/logs?app=api&limit=2");
  expect(status).toBe(200);
  const page = logsBody.parse(json);
  expect(page.lines.map(({ text }) => text)).toEqual(["line 48", "line 49"]);
  const before = logsBody.parse((await ask(server, `/api/logs?app=api&limit=2&before=${page.older}`)).json);
  expect(before.lines.map(({ text }) => text)).toEqual(["line 46", "line 47"]);
  const found = logsBody.parse((await ask(server, "/api/logs?app=api&grep=LINE%207&ignoreCase=true")).json);
  expect(found.lines.map(({ text }) => text)).toEqual(["line 7"]);
});

test.each([
  ["app=nothing", 404, "PROCESS_NOT_FOUND"],
  ["before=x_y", 400, "LOG_CURSOR_STALE"],
  ["before=%2Fetc%2Fpasswd", 400, undefined],
  ["limit=0", 400, undefined],
  ["level=loud", 400, undefined],
  ["regexp=(a%2B)%2B", 400, undefined],
])("GET /api/logs?%s is refused with %i", async (query, status, code) => {
  const answer = await ask(await start(), `/api/logs?${query}`);
  expect(answer.status).toBe(status);
  if (code) expect(answer.json).toMatchObject({ code });
});

test("logs.subscribe begins with the last lines, and continues", async () => {
  const client = await open(await start());
  client.send({ type: "logs.subscribe", apps: ["api"], tail: 1 });
  const first = await client.next("logs");
  expect(first).toMatchObject({ lines: [{ app: "api", stream: "out", level: null }], skipped: 0 });
  expect(first.begin).toMatchObject({ older: expect.stringMatching(/^[\w-]+$/), problems: [] });
  appendFileSync(path, `with ${CANARY}\n`);
  expect((await client.next("logs")).lines).toMatchObject([{ text: "with [REDACTED]" }]);
});

test("a subscription to a process that PM2 does not know is refused with its requestId", async () => {
  const client = await open(await start());
  client.send({ type: "logs.subscribe", apps: ["nothing"], requestId: "7" });
  expect(await client.next("error")).toMatchObject({ code: "PROCESS_NOT_FOUND", requestId: "7" });
});

test("logs need the token if reads need it", async () => {
  const server = await start({ host: "0.0.0.0", env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
  expect((await ask(server, "/api/logs")).status).toBe(401);
  const client = await open(server);
  client.send({ type: "logs.subscribe" });
  expect(await client.next("error")).toMatchObject({ code: "UNAUTHORIZED" });
  client.send({ type: "logs.subscribe", tail: 0, token: TOKEN });
  expect(await client.next("logs")).toMatchObject({ lines: [] });
});

test("the client iterates over lines, and a refusal ends the iteration", async () => {
  const server = await start();
  const client = connect({ url: `http://127.0.0.1:${server.port}`, WebSocket });
  onTestFinished(() => client.close());
  const frames = client.logs({ apps: ["api"], tail: 1 })[Symbol.asyncIterator]();
  const next = async (): Promise<LogsFrame> => (await frames.next()).value as LogsFrame;
  expect((await next()).begin).toBeDefined();
  appendFileSync(path, "for the client\n");
  expect((await next()).lines).toMatchObject([{ text: "for the client" }]);
  const refused = client.logs({ apps: ["nothing"] });
  await expect(refused[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "PROCESS_NOT_FOUND" });
});
