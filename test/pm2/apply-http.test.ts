/** Applies and rollbacks over HTTP, and their frames, over a real PM2. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { connect } from "../../src/client/index.ts";
import type { Ports } from "../../src/core/index.ts";
import { applyFrame, type ApplyFrame } from "../../src/core/api/frames.ts";
import { begunBody, planBody, releaseBody } from "../../src/core/api/rollout.ts";
import { serverOver } from "../console/monitoring-page.ts";
import { ask, post, type ServerOptions, type TestServer } from "../server/support.ts";
import { open } from "../server/socket/support.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { newest } from "../support/records.ts";
import { serve } from "../support/svcm.ts";

const CANARY = "canary-51f7";
const APPLY = "/api/runtime/apply";
const ROLLBACK = "/api/runtime/rollback";
let own: Pm2;
let ports: Ports;
let gate = "";

/** It is ready when the file that HELD names exists, or at once. */
const APP = `
const { existsSync, writeFileSync } = require("node:fs");
const { MODE, HELD } = process.env;
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send("ready"));
writeFileSync(__dirname + "/mode-" + process.pid, String(MODE));
look();
${IDLE}`;

const app = (name: string, env: object = {}) => ({
  name,
  script: join(own.folder, "app.cjs"),
  cwd: own.folder,
  wait_ready: true,
  listen_timeout: 60_000,
  env: { MODE: "1", API_TOKEN: CANARY, ...env },
});

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
});
afterAll(() => own.end());

let rounds = 0;
beforeEach(async () => {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  own.pm2Folder([app("api"), app("web")]);
  for (const name of ["api", "web"]) await own.startDeclared(name);
  gate = join(own.folder, `gate-${(rounds += 1)}`);
});

type Server = Pick<TestServer, "port">;

const plan = async (server: Server) => planBody.parse((await ask(server, "/api/runtime/plan?environment=dev")).json);

/** Declares the apps, and begins to apply their plan. */
async function begin(server: Server, apps: readonly object[]): Promise<string> {
  own.pm2Folder(apps);
  const answer = await post(server, { environment: "dev", plan: (await plan(server)).id }, {}, APPLY);
  expect(answer.status).toBe(202);
  return begunBody.parse(answer.json).release ?? "";
}

const release = async (server: Server, id: string) =>
  releaseBody.parse((await ask(server, `/api/runtime/releases/${id}`)).json);

async function listener(server: Server) {
  const client = await open(server);
  client.send({ type: "subscribe", environment: "dev" });
  await client.next("subscribed");
  const step = async () => applyFrame.parse(await client.next("apply"));
  return {
    texts: client.texts,
    step,
    /** The frames up to the last one of the release. */
    async all() {
      const frames = [await step()];
      while (frames.at(-1)?.outcome === undefined) frames.push(await step());
      return frames;
    },
  };
}

const words = ({ step, of, do: kind, app: name, phase, outcome }: ApplyFrame) =>
  [`${step}/${of}`, kind, name, phase, ...(outcome === undefined ? [] : [outcome])].join(" ");

const start = (options?: ServerOptions): Promise<TestServer> => serverOver(own, options);

test("an apply is answered before its first step, and subscribers and the release show its steps", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  const frames = await watching.all();
  expect(frames.map(words)).toEqual([
    "1/2 update api begun",
    "1/2 update api done",
    "2/2 save  begun",
    "2/2 save  done",
    "2/2 save  done applied",
  ]);
  expect(new Set(frames.map((frame) => frame.release))).toEqual(new Set([id]));
  expect(await release(server, id)).toMatchObject({ id, outcome: "applied", source: "http", actor: "anonymous" });
  expect((await plan(server)).changed).toBe(false);
  await server.logged(/"plan\.apply".*"succeeded"/);
  const { json } = await ask(server, "/api/runtime/audit?limit=1");
  expect(json.records).toMatchObject([{ action: "plan.apply", outcome: "succeeded", source: "http" }]);
  expect([...watching.texts, JSON.stringify(json)].join("\n")).not.toContain(CANARY);
});

test("a plan that is out of date is answered with the new one, and nothing is changed", async () => {
  const server = await start();
  own.pm2Folder([app("api", { MODE: "2" }), app("web")]);
  const { id } = await plan(server);
  own.pm2Folder([app("api", { MODE: "3" }), app("web")]);
  const before = await ports.processes.list();
  const answer = await post(server, { environment: "dev", plan: id }, {}, APPLY);
  expect(answer).toMatchObject({ status: 409, json: { error: "Plan is out of date.", code: "PLAN_STALE" } });
  expect(planBody.parse(answer.json.plan)).toEqual(await plan(server));
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
});

test("an empty plan is answered with 200 and without a release", async () => {
  const server = await start();
  const answer = await post(server, { environment: "dev", plan: (await plan(server)).id }, {}, APPLY);
  expect(answer).toMatchObject({ status: 200, json: { release: null } });
});

test.each([
  [APPLY, { environment: "dev" }, "plan"],
  [APPLY, { environment: "dev", plan: "1234-5678", timeoutMs: 1000 }, "timeoutMs"],
  [ROLLBACK, {}, "release"],
])("POST %s with %j is refused and names the member", async (path, body, member) => {
  const answer = await post(await start(), body, {}, path);
  expect(answer.status).toBe(400);
  expect(answer.json.details).toContain(member);
});

test("while an apply runs, its release says so, and a second apply is refused", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2", HELD: gate }), app("web")]);
  await watching.step();
  expect(await release(server, id)).toMatchObject({
    outcome: "running",
    endedAt: null,
    steps: [{ app: "api", phase: "begun" }, { phase: "not-begun" }],
  });
  const second = await post(server, { environment: "dev", plan: "1234-5678" }, {}, APPLY);
  expect(second).toMatchObject({ status: 409, json: { code: "APPLY_LOCKED" } });
  expect(second.json.details).toContain(String(process.pid));
  writeFileSync(gate, "");
  expect((await watching.all()).at(-1)?.outcome).toBe("applied");
});

test("a server that is closed during an apply ends the step under way, and the journal says what is left", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2", HELD: gate }), app("web", { MODE: "2" })]);
  await watching.step();
  const closed = server.close();
  writeFileSync(gate, "");
  await closed;
  const after = await start({ repository: server.repository });
  expect(await release(after, id)).toMatchObject({
    outcome: "half",
    steps: [{ app: "api", phase: "done" }, { app: "web", phase: "not-begun" }, { phase: "not-begun" }],
  });
  expect((await plan(after)).steps.map(({ app: name }) => name)).toEqual(["web", ""]);
  expect(await newest(ports.audit, 1)).toMatchObject([{ action: "plan.apply", outcome: "failed", code: "APPLY_HALF" }]);
});

test.each([
  ["SIGTERM", 0, "done"],
  ["SIGKILL", null, "failed"],
] as const)(
  "after %s of svcm serve during an apply, the release is half and the next plan says what is left",
  async (signal, code, phase) => {
    const env = { PM2_HOME: own.home, SVC_SERVICE_MANAGEMENT_CONFIG_DIR: own.folder };
    const world = { root: own.folder, env };
    const { url, stop } = await serve(world);
    const server = { port: Number(new URL(url).port) };
    const watching = await listener(server);
    const id = await begin(server, [app("api", { MODE: "2", HELD: gate }), app("web", { MODE: "2" })]);
    await watching.step();
    const ended = stop(signal);
    if (signal === "SIGKILL") await ended;
    writeFileSync(gate, "");
    expect(await ended).toBe(code);
    const after = await serve(world);
    const next = { port: Number(new URL(after.url).port) };
    expect(await release(next, id)).toMatchObject({
      outcome: "half",
      steps: [{ app: "api", phase }, { app: "web", phase: "not-begun" }, { phase: "not-begun" }],
    });
    expect((await plan(next)).steps.map(({ app: name }) => name)).toContain("web");
  },
);

test("a rollback gives the apps back what they had, step by step, and can be undone", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await watching.all();
  const answer = await post(server, { release: id }, {}, ROLLBACK);
  expect(answer.status).toBe(202);
  const frames = await watching.all();
  expect(frames.map(words)).toEqual([
    "1/1 return api begun",
    "1/1 return api begun",
    "1/1 return api done",
    "1/1 return api done applied",
  ]);
  expect((await plan(server)).steps[0]).toMatchObject({ do: "update", app: "api" });
  expect(await release(server, answer.json.release)).toMatchObject({ undoes: id, outcome: "applied" });
});

test("an unknown release is 404 and names the accepted ones", async () => {
  const server = await start();
  const id = await begin(server, [app("api", { MODE: "4" }), app("web")]);
  const shown = await ask(server, "/api/runtime/releases/20200101-000000-abcd");
  expect(shown).toMatchObject({ status: 404, json: { code: "RELEASE_NOT_FOUND" } });
  expect(shown.json.details).toContain(id);
  const undone = await post(server, { release: "20200101-000000-abcd" }, {}, ROLLBACK);
  expect([404, 409]).toContain(undone.status);
});

test("an apply needs the token, and the attempt without it is recorded", async () => {
  const token = "a-token-of-a-test-1234567890";
  const server = await start({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
  own.pm2Folder([app("api", { MODE: "2" }), app("web")]);
  const body = { environment: "dev", plan: (await plan(server)).id };
  expect((await post(server, body, {}, APPLY)).status).toBe(401);
  expect((await plan(server)).changed).toBe(true);
  const watching = await listener(server);
  const answer = await post(server, body, { authorization: `Bearer ${token}` }, APPLY);
  expect(answer.status).toBe(202);
  await watching.all();
  expect(await release(server, answer.json.release)).toMatchObject({ outcome: "applied", actor: "token" });
});

test("the process that serves the request has no step, and the plan says so", async () => {
  const api = (await ports.processes.list()).find(({ name }) => name === "api");
  const server = await start({ env: { pm_id: String(api?.pmId), name: "api" } });
  own.pm2Folder([app("api", { MODE: "2" }), app("web", { MODE: "2" })]);
  expect(await plan(server)).toMatchObject({
    steps: [{ app: "web" }, { do: "save" }],
    leftOut: [{ name: "api", pmIds: [api?.pmId] }],
    summary: { update: 1 },
  });
  const watching = await listener(server);
  await begin(server, [app("api", { MODE: "2" }), app("web", { MODE: "2" })]);
  expect((await watching.all()).at(-1)?.outcome).toBe("applied");
  expect((await ports.processes.list()).find(({ name }) => name === "api")?.pid).toBe(api?.pid);
});

test("the metrics count steps and outcomes, and name the newest release", async () => {
  const server = await start({ env: { NODE_ENV: "dev" } });
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await watching.all();
  own.pm2Folder([app("api", { MODE: "3" }), app("web", { MODE: "3" })]);
  const { text } = await ask(server, "/metrics");
  expect(text).toContain(
    `svcm_release_info{release="${id}",environment="dev",revision="",outcome="applied",undoes=""} 1`,
  );
  expect(text).toContain('svcm_apply_total{outcome="applied"} 1\n');
  expect(text).toContain('svcm_plan_steps{environment="dev"} 2\n');
});

test("svcm/client reports each step while a watch runs", async () => {
  const server = await start();
  const phases: string[] = [];
  let ended = (): void => undefined;
  const over = new Promise<void>((resolve) => (ended = resolve));
  const client = connect({
    url: server.url,
    WebSocket,
    onApply({ app: name, phase, outcome }) {
      phases.push(`${name} ${phase}`);
      if (outcome !== undefined) ended();
    },
  });
  onTestFinished(() => client.close());
  const frames = client.watch({ environment: "dev" })[Symbol.asyncIterator]();
  await frames.next();
  await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await over;
  expect(phases).toEqual(["api begun", "api done", " begun", " done", " done"]);
});
