/**
 * A team's repository under a real PM2: a cluster that reads its own `.env`, releases behind a link, a build that Git
 * ignores, a wrapper and a nightly job. Each process writes what it answers, so a test compares what runs with what a
 * fresh start would answer, without asking svcm.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodePorts, type Ports } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { pause } from "../support/pause.ts";
import { pm2, endProcesses, pidsOf, type Pm2 } from "../support/pm2-daemon.ts";
import { listRawProcesses, type RawProcess } from "../support/raw-list.ts";
import { pm2Command } from "../pm2/event-scenes.ts";
import { childrenOf, commandOf, startOf, tryKill } from "../support/proc.ts";

const run = promisify(execFile);
const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");

/** Writes its answer when everything is loaded. With ONCE, ends then; else it serves. */
const SERVE = `const fs = require("node:fs"), path = require("node:path");
module.exports = (code) => {
  const dotenv = path.join(process.env.ROOT, ".env");
  const own = Object.fromEntries(fs.readFileSync(dotenv, "utf8").split("\\n").filter((line) => line.includes("=")).map((line) => line.split("=")));
  const { GREETING = null, EXTRA = null, name = "" } = process.env;
  const answer = { code, folder: fs.realpathSync(process.cwd()), values: { GREETING, EXTRA, PAGE_SIZE: own.PAGE_SIZE ?? null } };
  const started = fs.readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ")[19];
  const file = path.join(process.env.ANSWERS, [name, process.pid, started].join("-") + ".json");
  // A reader sees the whole answer or none.
  const write = () => {
    fs.writeFileSync(file + ".new", JSON.stringify(answer));
    fs.renameSync(file + ".new", file);
  };
  if (process.env.ONCE) return void (write(), process.exit(0));
  require("node:http").createServer((_, response) => response.end(JSON.stringify({ ...answer, pid: process.pid }))).listen(Number(process.env.PORT), "127.0.0.1", write);
};
`;

export const SERVICES = ["web", "rel", "built", "wrapped"] as const;
export type Service = (typeof SERVICES)[number];

export interface Answer {
  readonly code: string;
  readonly folder: string;
  readonly values: Readonly<Record<string, string | null>>;
}

export class World {
  readonly own: Pm2 = pm2();
  readonly root = join(this.own.folder, "shop");
  readonly answers = join(this.own.folder, "answers");
  readonly ports: Record<Service, number> = { web: 0, rel: 0, built: 0, wrapped: 0 };
  greeting = "hello";
  extra: string | null = null;
  version = 1;
  release = 1;
  #command = pm2Command(this.own, PM2);

  static async begin(): Promise<World> {
    const world = new World();
    for (const name of SERVICES) world.ports[name] = await freePort();
    mkdirSync(world.answers, { recursive: true });
    world.write("serve.js", SERVE);
    world.write(".gitignore", "dist/\nnode_modules/\nreleases/\ncurrent\nlogs/\n.svcm/\n.env\nruns.txt\n");
    world.write(
      "svcm.yaml",
      "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\nenv: { production: .env }\nkeys:\n  PAGE_SIZE: { kind: number, tier: editable }\n",
    );
    world.write(".env", "PAGE_SIZE=20\n");
    world.write("web/server.js", 'require("../serve.js")("web " + require("./lib/answer.js") + require("dep"));\n');
    world.install("1");
    world.write("web/lib/answer.js", 'module.exports = "1";\n');
    world.write("wrapped/start.sh", "node main.js\n");
    world.write("wrapped/main.js", 'require("../serve.js")("wrapped " + require("./part.js"));\n');
    world.write("wrapped/part.js", 'module.exports = "1";\n');
    world.write(
      "nightly.js",
      'require("node:fs").appendFileSync(__dirname + "/runs.txt", "run\\n"); process.exit(0);\n',
    );
    world.build("1");
    for (const id of [1, 2]) world.addRelease(id);
    world.link(1);
    world.declare();
    world.git("init", "--quiet", "--initial-branch=main");
    world.commit("begin");
    await world.own.startDaemon();
    return world;
  }

  async end(): Promise<void> {
    await this.own.end();
  }

  openPorts(): Ports {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.own.folder, PM2_HOME: this.own.home, ...GIT_ENVIRONMENT };
    return nodePorts({ root: this.root, env, cwd: this.root });
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.root, path, ".."), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.root,
      env: plainEnvironment(GIT_ENVIRONMENT),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
  }

  declare(): void {
    const env = (name: Service): string =>
      JSON.stringify({
        PORT: this.ports[name],
        GREETING: this.greeting,
        ROOT: this.root,
        ANSWERS: this.answers,
        ...(this.extra !== null && { EXTRA: this.extra }),
      });
    this.write(
      "ecosystem.config.js",
      `const path = require("node:path");
const at = (...parts) => path.join(__dirname, ...parts);
const quick = { pmx: false, min_uptime: 500, max_restarts: 5, restart_delay: 100 };
module.exports = { apps: [
  { name: "web", cwd: at("web"), script: "server.js", exec_mode: "cluster", instances: 2, ...quick, env: ${env("web")} },
  { name: "rel", cwd: at("current"), script: "main.js", ...quick, env: ${env("rel")} },
  { name: "built", cwd: at("built"), script: "dist/main.js", ...quick, env: ${env("built")} },
  { name: "wrapped", cwd: at("wrapped"), script: "start.sh", interpreter: "bash", ...quick, env: ${env("wrapped")} },
  { name: "nightly", cwd: at("."), script: "nightly.js", ...quick, autorestart: false, cron_restart: "0 3 1 1 *" },
] };
`,
    );
  }

  /** As npm does it. */
  install(version: string): void {
    const dep = { version, resolved: `https://registry/dep-${version}.tgz` };
    const lockfile = JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/dep": dep } });
    this.write("web/node_modules/dep/index.js", `module.exports = "dep ${version}";\n`);
    for (const name of ["package-lock.json", "node_modules/.package-lock.json"]) this.write(`web/${name}`, lockfile);
  }

  /** The build writes into a new folder, or over the old one as a compiler does. */
  build(text: string, inPlace = true): void {
    const code = `require("../../serve.js")("built ${text}");\n`;
    if (inPlace) return this.write("built/dist/main.js", code);
    this.write("built/dist.new/main.js", code);
    rmSync(join(this.root, "built/dist"), { recursive: true, force: true });
    renameSync(join(this.root, "built/dist.new"), join(this.root, "built/dist"));
  }

  /** As `tar` and `rsync -a` do, the files keep times that are older than each start. */
  addRelease(id: number): void {
    const path = `releases/${id}/main.js`;
    this.write(path, `require("../../serve.js")("rel ${id}");\n`);
    utimesSync(join(this.root, path), 1_700_000_000, 1_700_000_000);
  }

  link(id: number): void {
    this.release = id;
    const next = join(this.root, "next");
    rmSync(next, { force: true });
    symlinkSync(`releases/${id}`, next);
    renameSync(next, join(this.root, "current"));
  }

  touch(path: string): void {
    const now = new Date();
    utimesSync(join(this.root, path), now, now);
  }

  chmod(path: string): void {
    chmodSync(join(this.root, path), 0o755);
    chmodSync(join(this.root, path), 0o644);
  }

  pm2(...args: string[]): Promise<unknown> {
    return this.#command(...args);
  }

  /** As the kernel does when the machine is out of memory; then a user brings the saved list back. */
  async killDaemon(): Promise<void> {
    const pid = pidsOf(this.own.home).find((one) => /God Daemon/.test(commandOf(one)));
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    endProcesses(this.own.home);
    await this.pm2("resurrect");
  }

  /** With its children: a child that lives on keeps the port, and the next process loops. */
  kill(pid: number): void {
    for (const one of [...childrenOf(pid), pid]) tryKill(one);
  }

  list(): Promise<RawProcess[]> {
    return listRawProcesses(this.own.home);
  }

  /** Until PM2 has seen the end, and runs as many services as before. */
  async untilReplaced(pid: number, count: number): Promise<void> {
    const isReplaced = (list: readonly RawProcess[]): boolean => {
      const online = list.filter(({ name, pm2_env }) => name !== "nightly" && pm2_env["status"] === "online");
      return online.length === count && online.every((one) => one.pid !== pid);
    };
    while (!isReplaced(await this.list())) await pause();
  }

  /** The answer of a process of the app with this pid, or of a child of it. */
  answerOf(name: string, pid: number): Answer | undefined {
    for (const one of [pid, ...childrenOf(pid)]) {
      const path = join(this.answers, `${name}-${one}-${startOf(one)}.json`);
      if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Answer;
    }
    return undefined;
  }

  runs(): number {
    const path = join(this.root, "runs.txt");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  }

  /** As a fresh Node.js reads it, because Git may have taken back what `declare` wrote. */
  async #declaredEnvs(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
    const read =
      "console.log(JSON.stringify(Object.fromEntries(require(process.argv[1]).apps.map((app) => [app.name, app.env]))))";
    const { stdout } = await run(process.execPath, ["-e", read, join(this.root, "ecosystem.config.js")]);
    return JSON.parse(stdout) as Record<string, Record<string, string>>;
  }

  /** Returns what a start of each service, now and elsewhere, answers; `undefined` if it fails. */
  async freshAnswers(): Promise<ReadonlyMap<Service, Answer | undefined>> {
    const envs = await this.#declaredEnvs();
    const answers = SERVICES.map(async (name) => [name, await this.#freshAnswer(name, envs[name] ?? {})] as const);
    return new Map(await Promise.all(answers));
  }

  async #freshAnswer(name: Service, declared: Readonly<Record<string, string>>): Promise<Answer | undefined> {
    const places = {
      web: ["web", "server.js"],
      rel: ["current", "main.js"],
      built: ["built", "dist/main.js"],
      wrapped: ["wrapped", "main.js"],
    };
    const [cwd = ".", script = ""] = places[name];
    const folder = join(this.own.folder, "fresh", name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const env = plainEnvironment({ ...declared, ONCE: "1", PORT: "0", ANSWERS: folder, name });
    await run(process.execPath, [script], { cwd: join(this.root, cwd), env }).catch(() => undefined);
    const [file] = readdirSync(folder);
    return file === undefined ? undefined : (JSON.parse(readFileSync(join(folder, file), "utf8")) as Answer);
  }
}
