import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeYaml } from "../../src/core/yaml/write.ts";
import { declarationsOf } from "../../src/core/pm2/declared.ts";
import { pm2, type Pm2 } from "../../test/support/pm2-daemon.ts";
import { document } from "./document.ts";

const ROOT = join(import.meta.dirname, "../..");
const SVCM = join(ROOT, "bin/run.js");
const CONFIG = "apps/backend-template/src/config";

/** `load`: share of a core; `memory`: megabytes held. */
const apps = [
  { name: "shop-grpcapi", load: 0.02, memory: 24 },
  { name: "shop-restapi", load: 0.09, memory: 60, instances: 2, exec_mode: "cluster" },
  { name: "shop-websocketapi", load: 0.05, memory: 44 },
  { name: "auth", load: 0.03, memory: 30 },
  { name: "billing", load: 0.01, memory: 40 },
  { name: "catalog", load: 0.06, memory: 90 },
  { name: "image-worker", load: 0.16, memory: 180 },
  { name: "mailer", load: 0.01, memory: 12 },
  { name: "report-cron", load: 0.01, memory: 10 },
  { name: "search-indexer", load: 0, memory: 0, fails: "yes", max_restarts: 3, min_uptime: 5_000 },
];

export interface Shop extends AsyncDisposable {
  readonly url: string;
}

/** @param folder is created, and removed when the shop is closed */
export async function openShop(folder: string): Promise<Shop> {
  if (existsSync(folder)) throw new Error(`${folder} exists already: name a folder that may be made and removed.`);
  const own = pm2();
  const close = async (): Promise<void> => {
    await own.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    fill(folder);
    await own.startDaemon();
    await startApps(own, folder);
    change(own, folder);
    const { server, url } = await serve(own, folder);
    return {
      url,
      async [Symbol.asyncDispose]() {
        server.kill();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function fill(folder: string): void {
  for (const name of ["apps", "pm2", ".git"]) mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(ROOT, CONFIG), join(folder, CONFIG), { recursive: true });
  writeFileSync(join(folder, "deployments.yaml"), writeYaml(document));
  cpSync(join(import.meta.dirname, "app.cjs"), join(folder, "apps/app.cjs"));
  for (const name of ["dev", "staging", "production"]) declare(folder, name);
}

/** Writes an ecosystem file; `more` is added to the environment of the apps that it names. */
function declare(folder: string, environment: string, more: Readonly<Record<string, object>> = {}): void {
  const declared = apps.map(({ name, load, memory, fails, ...rest }, at) => ({
    name,
    script: join(folder, "apps/app.cjs"),
    ...rest,
    env: { LOAD: load, MEMORY: memory, SVC_HTTP_PORT: 4000 + at, ...(fails && { FAILS: fails }), ...more[name] },
  }));
  const text = `module.exports = ${JSON.stringify({ apps: declared }, null, 2)};\n`;
  writeFileSync(join(folder, `pm2/ecosystem.${environment}.config.cjs`), text);
}

async function startApps(own: Pm2, folder: string): Promise<void> {
  const loaded = await own.ports().ecosystems.load(join(folder, "pm2/ecosystem.dev.config.cjs"));
  const link = own.link();
  // One of the apps is expected to fail.
  for (const { name } of apps) {
    const declared = declarationsOf(loaded, { machine: { cpuCores: 1 }, spellings: [] })(name);
    await link.startApp(name, declared.apps, declared.folder).catch(() => undefined);
  }
}

/** Produces the differences that the pictures show. */
function change(own: Pm2, folder: string): void {
  declare(folder, "dev", { auth: { AUTH_SESSION_MINUTES: 30 } });
  svcm(own, folder, "process", "stop", "report-cron");
  svcm(own, folder, "env", "set", "SVC_HTTP_FRAMEWORK=fastify");
  svcm(own, folder, "env", "set", "SVC_MESSAGE_MEDIATOR_ADAPTER=rabbitmq", "--environment", "staging");
  svcm(own, folder, "process", "restart", "billing");
  svcm(own, folder, "env", "set", "SVC_REALTIME_API=no", "SVC_DATABASE_DRIVER=MySQL", "--environment", "staging");
  svcm(own, folder, "process", "start", "search-indexer");
  svcm(own, folder, "env", "set", "SVC_KEYVALUESTORAGE_DRIVER=redis");
  svcm(own, folder, "process", "restart", "catalog");
}

function svcm(own: Pm2, folder: string, ...args: string[]): void {
  spawnSync(process.execPath, [SVCM, ...args], { cwd: folder, env: environmentOf(own), stdio: "ignore" });
}

export async function serve(
  own: Pm2,
  folder: string,
  ...flags: string[]
): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(process.execPath, [SVCM, "serve", ...flags], { cwd: folder, env: environmentOf(own) });
  return new Promise((resolve, reject) => {
    let errorOutput = "";
    server.once("exit", () => reject(new Error(`svcm serve ended: ${errorOutput}`)));
    server.stderr.on("data", (text: Buffer) => (errorOutput += String(text)));
    server.stdout.on("data", (text: Buffer) => {
      const [url] = /http:\/\/\S+/.exec(String(text)) ?? [];
      if (url !== undefined) resolve({ server, url });
    });
  });
}

function environmentOf({ home }: Pm2): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: home, PM2_HOME: home, USER: "ann", LOGNAME: "ann" };
}
