/** Real servers for tests, each with its own data folder and port. A test without its server is skipped. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../test/support/free-port.ts";
import { pause } from "../../../test/support/pause.ts";

export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerSpec {
  readonly program: string;
  args(port: number, folder: string): string[];
  readonly env?: (port: number, folder: string) => Record<string, string>;
  readonly prepare?: (folder: string, port: number) => void;
  /** The user that the server needs if the tests run as root. */
  readonly user?: string;
  readonly signal?: NodeJS.Signals;
}

function which(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", ...postgresFolders()];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

function postgresFolders(): string[] {
  const versions = "/usr/lib/postgresql";
  return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : [];
}

const isRoot = process.getuid?.() === 0;

function userId(user: string): number {
  return Number(spawnSync("id", ["-u", user]).stdout.toString().trim());
}

export const hasRedis = which("redis-server") !== undefined;
export const hasPostgres = which("postgres") !== undefined && (!isRoot || userId("postgres") > 0);
export const hasMariaDb = which("mariadbd") !== undefined && which("mariadb-install-db") !== undefined;
export const hasRabbit = which("rabbitmq-server") !== undefined && which("epmd") !== undefined;

export const hasMongo = which("mongod") !== undefined;

export function startMongo(): Promise<RunningServer> {
  return startServer({
    program: which("mongod") ?? "",
    args: (port, folder) => ["--dbpath", folder, "--port", `${port}`, "--bind_ip", "127.0.0.1"],
  });
}

/** DynamoDB's interface as a program, with its data in memory. */
export function startDynalite(): Promise<RunningServer> {
  return startServer({
    program: join(import.meta.dirname, "../node_modules/.bin/dynalite"),
    args: (port) => ["--host", "127.0.0.1", "--port", `${port}`, "--createTableMs", "0"],
  });
}

/** By default, the log may be flushed up to two seconds late, so acknowledged writes would not survive SIGKILL. */
export function startRedis(): Promise<RunningServer> {
  return startServer({
    program: which("redis-server") ?? "",
    args: (port, folder) => [
      "--port",
      `${port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      folder,
      "--appendonly",
      "yes",
      "--appendfsync",
      "always",
    ],
  });
}

export function startPostgres(): Promise<RunningServer> {
  return startServer({
    program: which("postgres") ?? "",
    user: "postgres",
    signal: "SIGINT",
    prepare: (folder) => {
      const initdb = [which("initdb") ?? "", "-D", join(folder, "data"), "-U", "svcm", "--auth=trust", "--no-sync"];
      run(asUser("postgres", initdb));
    },
    args: (port, folder) => ["-D", join(folder, "data"), "-p", `${port}`, "-h", "127.0.0.1", "-k", folder],
  });
}

export function startMariaDb(): Promise<RunningServer> {
  return startServer({
    program: which("mariadbd") ?? "",
    user: "mysql",
    prepare: (folder) => {
      const data = `--datadir=${join(folder, "data")}`;
      const init = join(folder, "init.sql");
      const statements = [
        "CREATE DATABASE svcm;",
        "CREATE USER svcm@'127.0.0.1' IDENTIFIED BY 'svcm';",
        "GRANT ALL ON svcm.* TO svcm@'127.0.0.1';",
      ];
      // A second start finds them, reports it and continues.
      writeFileSync(init, statements.join("\n"));
      const install = [which("mariadb-install-db") ?? "", "--no-defaults", data, "--skip-test-db"];
      run(asUser("mysql", install));
    },
    args: (port, folder) => [
      "--no-defaults",
      `--datadir=${join(folder, "data")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-name-resolve",
      `--socket=${join(folder, "mysql.sock")}`,
      `--init-file=${join(folder, "init.sql")}`,
    ],
  });
}

/** RabbitMQ with its own port mapper, because the one that it would start keeps running. */
export async function startRabbit(): Promise<RunningServer> {
  const mapperPort = await freePort();
  const mapper = spawn(which("epmd") ?? "", ["-port", `${mapperPort}`, "-address", "127.0.0.1"], { stdio: "ignore" });
  const scripts = readdirSync("/usr/lib/rabbitmq/lib").map((version) => join("/usr/lib/rabbitmq/lib", version, "sbin"));
  const distributionPort = await freePort();
  const server = await startServer({
    program: join(scripts[0] ?? "", "rabbitmq-server"),
    args: () => [],
    env: (port, folder) => ({
      ERL_EPMD_PORT: `${mapperPort}`,
      RABBITMQ_CONF_ENV_FILE: "/dev/null",
      RABBITMQ_DIST_PORT: `${distributionPort}`,
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_MNESIA_BASE: folder,
      RABBITMQ_NODENAME: `svcm${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_NODE_PORT: `${port}`,
      RABBITMQ_PID_FILE: join(folder, "pid"),
    }),
  });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      const ended = new Promise((resolve) => mapper.once("exit", resolve));
      mapper.kill("SIGKILL");
      await ended;
    },
  };
}

/** The command line that runs as another user if the tests run as root. */
function asUser(user: string, argv: readonly string[]): string[] {
  return isRoot ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...argv] : [...argv];
}

function run([program = "", ...args]: string[]): void {
  const { status, stderr, stdout } = spawnSync(program, args);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout.toString()}${stderr.toString()}`);
}

async function startServer(spec: ServerSpec): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "svcm-server-"));
  const port = await freePort();
  if (isRoot && spec.user) chownSync(folder, userId(spec.user), userId(spec.user));
  spec.prepare?.(folder, port);
  let child = await launch(spec, folder, port);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  };
  return {
    port,
    async restart() {
      await end("SIGKILL");
      child = await launch(spec, folder, port);
    },
    stop: () => end("SIGKILL"),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end(spec.signal ?? "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server accepts connections. */
async function launch(spec: ServerSpec, folder: string, port: number): Promise<ChildProcess> {
  const [program = "", ...args] = spec.user
    ? asUser(spec.user, [spec.program, ...spec.args(port, folder)])
    : [spec.program, ...spec.args(port, folder)];
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...spec.env?.(port, folder) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  while (!(await acceptsConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${spec.program} ended with ${child.exitCode}: ${stderr}`);
    await pause();
  }
  return child;
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => setImmediate(resolve, false));
    socket.once("connect", () => socket.destroy());
  });
}
