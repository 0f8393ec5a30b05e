/** A checkout with an origin, and a real PM2 that runs its app `web` on a port. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import { deployRun, execute, nodePorts, SvcmError, type DeployResult, type Ports } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { COMMIT, GIT_ENVIRONMENT, INIT } from "../support/git.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";

export const CANARY = "canary-7d21";
/** The token of a package registry, in the home folder. */
export const REGISTRY_CANARY = "registry-3f90";
export const caller = { source: "cli", grants: ["read", "logs", "write"] } as const;

/** It answers what its build wrote, so it cannot run without one. */
const APP = `
const { readFileSync } = require("node:fs");
const version = readFileSync(__dirname + "/dist/version.txt", "utf8").trim();
if (version === "crash") throw new Error("bad release");
const server = require("node:http").createServer((_, response) => response.end(version));
server.listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGINT", () => {
  const isClosed = new Promise((resolve) => server.close(resolve));
  const end = () => setImmediate(() => setImmediate(() => isClosed.then(() => process.exit())));
  // A connection that the cluster has just passed to it is returned to the others, if it lives to answer.
  setTimeout(end, DRAIN_MS);
});
`;
const BUILD = `
const { mkdirSync, copyFileSync, readFileSync } = require("node:fs");
const version = readFileSync("VERSION", "utf8").trim();
if (version === "unbuildable") { console.error("no token: " + process.env.API_TOKEN + " ${CANARY} ${REGISTRY_CANARY}"); process.exit(7); }
mkdirSync("dist", { recursive: true });
copyFileSync("VERSION", "dist/version.txt");
`;
/** Runs the build of package.json at once. */
const NPM = `#!/bin/sh
[ "$*" = "run build" ] || exit 64
exec sh -c "$(sed -n 's/.*"build":"\\([^"]*\\)".*/\\1/p' package.json)"
`;
const PUSH = "git push --quiet --set-upstream origin main >/dev/null && git rev-parse HEAD";
const SVCM = `version: 1
environments: { production: [prod] }
ecosystem: { production: ecosystem.config.cjs }
env: { production: .env.production }
rollout: { minHealthyTime: 200ms }
deploy: { shared: [uploads], keep: 2 }
keys:
  PORT: { kind: integer, minimum: 1, tier: read-only }
`;

export interface Shop {
  readonly own: Pm2;
  readonly ports: Ports;
  readonly checkout: string;
  readonly root: string;
  /** Of a user of this PM2. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: () => number;
  /** Commits the files and pushes them. Returns the commit. */
  publish(files: Readonly<Record<string, string>>): string;
  git(...args: string[]): string;
  deploy(more?: Partial<InputOf<"deploy.run">>): Promise<DeployResult>;
  /** The error of a refused deploy. */
  refused(more?: Partial<InputOf<"deploy.run">>): Promise<SvcmError>;
  answer(): Promise<string>;
  current(): string | null;
  releases(): string[];
}

interface ShopOptions {
  /** The `npm` of the machine, which takes half a second to begin. */
  readonly npm?: "of the machine";
  /** Under load, for which a process has to live on after its last answer. */
  readonly drainMs?: number;
}

/** For a file of tests. */
export function shopUnderPm2({ drainMs = 0, npm }: ShopOptions = {}): Shop {
  const own = pm2();
  const checkout = join(realpathSync(own.folder), "checkout");
  const bin = join(own.folder, "bin");
  const PATH = `${bin}:${process.env["PATH"]}`;
  const env = { PATH, HOME: own.folder, PM2_HOME: own.home, ...GIT_ENVIRONMENT };
  for (const folder of [checkout, bin]) mkdirSync(folder);
  if (npm === undefined) writeFileSync(join(bin, "npm"), NPM, { mode: 0o755 });
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, {
      cwd: checkout,
      env: plainEnvironment(GIT_ENVIRONMENT),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const git = (...args: string[]): string => run("git", ...args);
  const ports = nodePorts({ root: checkout, env, cwd: checkout });
  const root = join(realpathSync(own.folder), "home/svcm/shop/deploy");
  let port = 0;
  const shop: Shop = {
    own,
    ports,
    checkout,
    root,
    env,
    port: () => port,
    git,
    publish(files) {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, name), text);
      return run("sh", "-c", `${COMMIT} && ${PUSH}`, "sh", `version ${files["VERSION"] ?? "next"}`);
    },
    deploy: (more = {}) => execute(deployRun, ports, { environment: "production", ...more }, caller),
    async refused(more) {
      try {
        await shop.deploy(more);
      } catch (error) {
        if (error instanceof SvcmError) return error;
        throw error;
      }
      throw new Error("the deploy was not refused");
    },
    answer: () =>
      new Promise((resolve, reject) => {
        get({ host: "127.0.0.1", port, agent: false }, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.once("end", () => resolve(text));
        }).once("error", reject);
      }),
    current: () =>
      existsSync(join(root, "current")) ? readlinkSync(join(root, "current")).replace("releases/", "") : null,
    releases: () => readdirSync(join(root, "releases")).toSorted(),
  };
  beforeAll(async () => {
    await own.startDaemon();
    port = await freePort();
    writeFileSync(join(own.folder, ".npmrc"), `//registry.invalid/:_authToken=${REGISTRY_CANARY}\n`);
    run(
      "sh",
      "-c",
      `${INIT} --bare "$1" && ${INIT} && git remote add origin "$1"`,
      "sh",
      join(own.folder, "origin.git"),
    );
    mkdirSync(join(checkout, "uploads"));
    writeFileSync(join(checkout, ".env.production"), `PORT=${port}\nAPI_TOKEN=${CANARY}\n`);
    const web = {
      name: "web",
      script: "./app.cjs",
      exec_mode: "cluster",
      instances: 1,
      pmx: false,
      out_file: "./logs/web.log",
    };
    shop.publish({
      ".gitignore": ".env*\nuploads\ndist\nlogs\n.svcm\n",
      "app.cjs": APP.replace("DRAIN_MS", String(drainMs)),
      "build.cjs": BUILD,
      "ecosystem.config.cjs": `module.exports = { apps: [{ ...${JSON.stringify(web)}, env: { PORT: "${port}" } }] };`,
      "package.json": JSON.stringify({ name: "shop", scripts: { build: "node build.cjs" } }),
      "svcm.yaml": SVCM,
      VERSION: "1",
    });
  });
  afterAll(async () => {
    await ports.logs.close();
    await ports.processes.close();
    await own.end();
  });
  return shop;
}
