/** A real PM2 with its own PM2_HOME. All of its processes are ended afterwards, by pid. */
import { fork, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pm2Processes } from "../../src/core/pm2/daemon/index.ts";
import { Link } from "../../src/core/pm2/daemon/link.ts";
import { nodePorts, type Ports } from "../../src/core/index.ts";
import { declarationsOf } from "../../src/core/pm2/declared.ts";
import type { Fields } from "../../src/core/pm2/normalise.ts";
import type { Processes } from "../../src/core/pm2/port-processes.ts";
import { MEMORY } from "./temporary-folder.ts";

const DAEMON = createRequire(import.meta.url).resolve("pm2/lib/Daemon.js");

export interface Pm2 {
  readonly home: string;
  /** A folder for the apps. */
  readonly folder: string;
  /** Starts a daemon with that PM2_HOME, and resolves when it listens. */
  startDaemon(more?: Record<string, string>): Promise<Daemon>;
  /** Opens another link, with the environment of a user of this PM2. */
  link(options?: { env?: Record<string, string>; timeoutMs?: number; isCommand?: boolean }): Processes;
  /** The ports of svcm in the folder, with this PM2. */
  ports(env?: Record<string, string>): Ports;
  /** Starts an app of the file that `pm2Folder` wrote. */
  startDeclared(name: string, environment?: string): Promise<void>;
  /** Declares apps for `dev` and starts them instead of all others, unless the same apps still run since the last call. */
  beginWith(apps: readonly App[]): Promise<void>;
  /** Writes the ecosystem file of an environment where svcm looks for it, with the folder as repository. */
  pm2Folder(apps: readonly object[], environment?: string): void;
  /** Starts an app that idles, or runs `code`, from a declaration. PM2 waits up to a minute until the app is ready. */
  run(app: App): Promise<void>;
  /** Processes, daemons and apps, with this PM2_HOME in their environment. */
  pids(): number[];
  /** Ends all of them and removes the folders. */
  end(): Promise<void>;
}

export interface App {
  readonly name: string | number;
  readonly code?: string;
  readonly [field: string]: unknown;
}

export interface Daemon {
  readonly pid: number;
  /** Sends it a signal; after SIGKILL, resolves when the daemon has ended. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
}

/** PM2's agent has no effect in an app that does not configure it, but loading it takes half of a small app's start. */
const QUICK = { pmx: false };
/** PM2's own numbers of the machine, for which its daemon starts a program at each look and which svcm does not read. */
const NO_HOST_METRICS = JSON.stringify({ pm2: { sysmonit: "false" } });
export const IDLE = "setInterval(() => {}, 1e6);";

/** An app that prints an error and ends when PM2 has written it: PM2 may lose what arrives together with the end. */
export function endsWith(error: string, exitCode: number): string {
  return `const { statSync } = require("node:fs");
const sizeOf = () => statSync(process.env.pm_err_log_path, { throwIfNoEntry: false })?.size ?? 0;
const before = sizeOf();
console.error(${error});
const end = () => (sizeOf() > before ? process.exit(${exitCode}) : setTimeout(end, 5));
end();`;
}

/** For a file of tests: end it in `afterAll`. @param daemon the program of another version's daemon */
export function pm2(daemon = DAEMON): Pm2 {
  const folder = mkdtempSync(join(MEMORY, "svcm-pm2-"));
  const home = join(folder, "home");
  const links: Processes[] = [];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, PM2_HOME: home };
  /** Loads PM2's library once for all apps. */
  const starter = new Link({
    env: { ...env, PM2_DISABLE_VERSION_CHECK: "1" },
    socket: join(home, "rpc.sock"),
    salt: new Uint8Array(32),
    timeoutMs: 60_000,
    places: { root: join(import.meta.dirname, "../.."), home, path: "" },
  });
  const startApp = (name: string, apps: readonly Fields[], caller: string) =>
    starter.call({ method: "startApp", name, apps, folder: caller });
  let files = 0;
  let begun = "";
  let kept: Processes | undefined;
  const startEach = async (names: readonly string[], environment = "dev"): Promise<void> => {
    const loaded = await self.ports().ecosystems.load(join(folder, `pm2/ecosystem.${environment}.config.cjs`));
    for (const name of names) {
      const { apps, folder: caller } = declarationsOf(loaded, { machine: { cpuCores: 1 }, spellings: [] })(name);
      await startApp(name, apps, caller);
    }
  };
  const self: Pm2 = {
    home,
    folder,
    startDaemon: (more = {}) => startDaemon({ ...env, ...more }, daemon),
    link({ env: more = {}, timeoutMs, isCommand } = {}) {
      const link = pm2Processes({
        env: { ...env, ...more },
        cwd: folder,
        isCommand,
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      links.push(link);
      return link;
    },
    ports(more = {}) {
      const ports = nodePorts({ root: folder, env: { ...env, ...more }, cwd: folder });
      links.push(ports.processes);
      return ports;
    },
    startDeclared: (name, environment = "dev") => startEach([name], environment),
    async beginWith(apps) {
      self.pm2Folder(apps);
      const link = (kept ??= self.link());
      const running = async () => {
        const list = await link.list();
        return JSON.stringify([apps, list.map(({ name, pmId, pid, status }) => [name, pmId, pid, status])]);
      };
      if ((await running()) !== begun) {
        for (const record of await link.list()) await link.remove(record);
        await startEach(apps.map(({ name }) => String(name)));
        begun = await running();
      }
    },
    pm2Folder(apps, environment = "dev") {
      mkdirSync(join(folder, "pm2"), { recursive: true });
      const text = `module.exports = ${JSON.stringify({ apps: apps.map((app) => ({ ...QUICK, ...app })) })};`;
      writeFileSync(join(folder, `pm2/ecosystem.${environment}.config.cjs`), text);
    },
    async run({ code = IDLE, ...app }) {
      // Not in the folder, where it would be new code of other apps.
      const script = join(home, `app-${(files += 1)}.cjs`);
      mkdirSync(home, { recursive: true });
      writeFileSync(script, code);
      const name = String(app.name);
      const patience = app["wait_ready"] === true && { listen_timeout: 60_000 };
      await startApp(name, [{ cwd: folder, script, ...QUICK, ...patience, ...app, name }], folder);
    },
    pids: () => pidsOf(home),
    async end() {
      await Promise.all([starter, ...links].map((link) => link.close()));
      endProcesses(home);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return self;
}

function startDaemon(env: Record<string, string> & { PM2_HOME: string }, program: string): Promise<Daemon> {
  // PM2's client creates these before it starts a daemon.
  for (const folder of ["logs", "pids", "modules"]) mkdirSync(join(env.PM2_HOME, folder), { recursive: true });
  writeFileSync(join(env.PM2_HOME, "module_conf.json"), NO_HOST_METRICS);
  const log = openSync(join(env.PM2_HOME, "pm2.log"), "a");
  const child = fork(program, {
    env: { ...env, SILENT: "true", PM2_DISABLE_VERSION_CHECK: "1" },
    stdio: ["ignore", log, log, "ipc"],
    // Not those of the worker of Vitest.
    execArgv: [],
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the PM2 daemon ended with ${code}`)));
    child.once("message", () => {
      child.disconnect();
      resolve(daemonOf(child));
    });
  });
}

function daemonOf(child: ChildProcess): Daemon {
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    pid: child.pid ?? 0,
    async signal(name) {
      child.kill(name);
      if (name === "SIGKILL") await ended;
    },
  };
}

/** Processes with this PM2_HOME in their environment. A zombie no longer has an environment. */
export function pidsOf(home: string): number[] {
  const wanted = `PM2_HOME=${home}`;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(wanted)).map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Of a PM2_HOME. A process that starts while the others are ended is found by the next check. */
export function endProcesses(home: string): void {
  const ended = new Set<number>();
  for (let pids = pidsOf(home); pids.length > 0; pids = pidsOf(home)) {
    for (const pid of pids) {
      kill(pid);
      ended.add(pid);
    }
  }
  // The environment goes before the files are closed, and open files keep a disk mounted.
  while ([...ended].some(hasOpenFiles));
}

function hasOpenFiles(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((thread) => !/\) [ZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")));
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended in the meantime.
  }
}
