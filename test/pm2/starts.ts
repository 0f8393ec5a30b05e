/** The apps of small projects, started by the team's own `pm2 start` and by svcm, have the same variables. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainEnvironment } from "../support/command-line.ts";
import type { OwnProject, Start } from "../support/own-projects.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { serve, svcm } from "../support/svcm.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
/** Every variable that one of the projects declares. */
const DECLARED = ["NODE_ENV", "PORT", "API_KEY", "LOG_LEVEL"];
const run = promisify(execFile);

type Environment = Readonly<Record<string, string>>;

let server: Server;
let arrived: (name: string, env: Environment) => void;
const daemons: Pm2[] = [];

async function listen(): Promise<void> {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { name, env } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string; env: Environment };
      arrived(name, env);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

async function end(): Promise<void> {
  for (const daemon of daemons.splice(0)) await daemon.end();
  server.close();
}

/** A project whose scripts send their environment to the server. */
function write(files: Readonly<Record<string, string>>): Pm2 {
  const own = pm2();
  daemons.push(own);
  const { port } = server.address() as AddressInfo;
  const script = `const body = JSON.stringify({ name: process.env.name, env: process.env });
require("node:http").request({ port: ${port}, method: "POST" }, (answer) => answer.resume()).end(body);
setInterval(() => {}, 1e6);
`;
  const places = ["main.js", "services/orders/main.js", "services/users/main.js", "worker.js"];
  const scripts = Object.fromEntries(places.map((place) => [place, script]));
  for (const [file, text] of Object.entries({ ...files, ...scripts })) {
    mkdirSync(join(own.folder, file, ".."), { recursive: true });
    writeFileSync(join(own.folder, file), text);
  }
  return own;
}

/** The declared variables of each app, after all apps have sent their environment. */
async function variablesOf({ apps }: Start, start: () => Promise<void>): Promise<Record<string, Environment>> {
  const observed: Record<string, Environment> = {};
  const all = new Promise<void>((resolve) => {
    arrived = (name, env) => {
      observed[name] = Object.fromEntries(DECLARED.flatMap((key) => (key in env ? [[key, env[key] ?? ""]] : [])));
      if (apps.every((app) => app in observed)) resolve();
    };
  });
  await Promise.all([start(), all]);
  return observed;
}

async function startedByTeam(files: Readonly<Record<string, string>>, start: Start): Promise<unknown> {
  const { folder, home } = write(files);
  const env = plainEnvironment({ HOME: folder, PM2_HOME: home });
  return await variablesOf(start, async () => {
    for (const call of start.calls) await run(process.execPath, [PM2, "start", ...call], { cwd: folder, env });
  });
}

async function startedBySvcm(files: Readonly<Record<string, string>>, start: Start): Promise<unknown> {
  const { folder, home } = write(files);
  const options = { root: folder, env: { PM2_HOME: home } };
  expect(await svcm(["init", "--yes"], options)).toMatchObject({ code: 0, stderr: "" });
  const flags = ["--ecosystem", "-e", start.environment];
  const service = start.service === undefined ? [] : ["--service", start.service];
  return await variablesOf(start, async () => {
    const { code, stderr } = await svcm(["process", "start", ...flags, ...service], options);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
}

export function testStarts(projects: Readonly<Record<string, OwnProject>>): void {
  beforeAll(listen);
  afterAll(end);

  describe.each(Object.entries(projects))("%s", (_, { files, starts }) => {
    test.each(starts)("runs in $environment as the team starts it: $apps", async (start) => {
      expect(await startedBySvcm(files, start)).toEqual(await startedByTeam(files, start));
    });

    test("svcm serve shows the same apps", async () => {
      const { folder, home } = write(files);
      const options = { root: folder, env: { PM2_HOME: home } };
      await svcm(["init", "--yes"], options);
      const { url, stop } = await serve(options);
      for (const { environment, service, apps } of starts) {
        const query = new URLSearchParams({ environment, ...(service !== undefined && { service }) });
        const answer = await fetch(`${url}/api/runtime/pm2-ecosystem?${query}`);
        const body = (await answer.json()) as { apps: { name: string }[] };
        expect(body.apps.map(({ name }) => name)).toEqual(apps);
      }
      expect(await stop()).toBe(0);
    });
  });
}
