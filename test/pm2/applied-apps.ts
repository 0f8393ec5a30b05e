/** A real PM2 with the apps `api` and `web`, and a client that applies their plans over HTTP. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { applyFrame, type ApplyFrame } from "../../src/core/api/frames.ts";
import { begunBody } from "../../src/core/api/rollout-requests.ts";
import { planBody, releaseBody } from "../../src/core/api/rollout.ts";
import { earlyServerOver } from "../console/monitoring-page.ts";
import { ask, post, type ServerOptions, type TestServer } from "../server/support.ts";
import { open } from "../server/socket/support.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";

export const CANARY = "canary-51f7";
export const APPLY = "/api/runtime/apply";
export const ROLLBACK = "/api/runtime/rollback";

/** The app is ready when the file in HELD exists, or immediately. */
const APP = `
const { existsSync } = require("node:fs");
const { HELD } = process.env;
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send("ready"));
look();
${IDLE}`;

/** For a file of tests. Each test begins with the two apps as `app` declares them. */
export function appsUnderPm2() {
  const own = pm2();
  const ports = own.ports();
  let rounds = 0;
  const app = (name: string, env: object = {}) => ({
    name,
    script: join(own.folder, "app.cjs"),
    cwd: own.folder,
    wait_ready: true,
    listen_timeout: 60_000,
    env: { MODE: "1", API_TOKEN: CANARY, ...env },
  });
  beforeAll(async () => {
    await own.startDaemon();
    writeFileSync(join(own.folder, "app.cjs"), APP);
    utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  });
  afterAll(() => own.end());
  beforeEach(async () => {
    rounds += 1;
    await own.beginWith([app("api"), app("web")]);
  });
  return {
    own,
    ports,
    app,
    /** A file that does not exist at the start of a test. */
    gate: () => join(own.folder, `gate-${rounds}`),
    start: (options?: ServerOptions): Promise<TestServer> => earlyServerOver(own, options),
    /** Declares the apps, and starts to apply their plan. */
    begin: async (server: Server, apps: readonly object[]): Promise<string> => {
      own.pm2Folder(apps);
      const answer = await post(server, { environment: "dev", plan: (await plan(server)).id }, {}, APPLY);
      expect(answer.status).toBe(202);
      return begunBody.parse(answer.json).release ?? "";
    },
  };
}

export type Server = Pick<TestServer, "port">;

export const plan = async (server: Server) =>
  planBody.parse((await ask(server, "/api/runtime/plan?environment=dev")).json);

export const release = async (server: Server, id: string) =>
  releaseBody.parse((await ask(server, `/api/runtime/releases/${id}`)).json);

export async function listener(server: Server) {
  const client = await open(server);
  client.send({ type: "subscribe", environment: "dev" });
  await client.next("subscribed");
  const step = async () => applyFrame.parse(await client.next("apply"));
  return {
    texts: client.texts,
    step,
    async all() {
      const frames = [await step()];
      while (frames.at(-1)?.outcome === undefined) frames.push(await step());
      return frames;
    },
  };
}

export const words = ({ step, of, do: kind, app: name, phase, outcome }: ApplyFrame) =>
  [`${step}/${of}`, kind, name, phase, ...(outcome === undefined ? [] : [outcome])].join(" ");
