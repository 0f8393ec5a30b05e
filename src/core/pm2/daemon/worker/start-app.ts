import { existsSync } from "node:fs";
import { realPathIfReadable } from "../../../files/system.ts";
import { lastingFolder } from "../../../project/state-place.ts";
import type { StartCall } from "../protocol.ts";
import type { Fields } from "../../normalise.ts";
import { probeSocket } from "../daemon.ts";
import { errorText, LinkFailure, maskValues, unreachableError } from "../failure.ts";
import { connect, type Connection, listProcesses, withTimeout } from "./connection.ts";
import type { Pm2 } from "./pm2-api.ts";
import { fieldsOf } from "./process-record.ts";

export interface StartContext {
  readonly pm2: Pm2;
  readonly socket: string;
  readonly timeoutMs: number;
  readonly handOver: (waitMs: number) => void;
}

const DAEMON_START_TIMEOUT_MS = 20_000;

export async function startApp(
  context: StartContext,
  { name, apps, isAtRest = false, needsDaemon = false }: Omit<StartCall, "method" | "folder">,
): Promise<void> {
  const connection = await (needsDaemon ? connectOnly(context) : connectOrLaunch(context));
  try {
    if ((await listProcesses(connection, context.timeoutMs)).some((listed) => String(listed.name) === name))
      throw new LinkFailure("APP_ALREADY_KNOWN", `PM2 knows ${JSON.stringify(name)} already: start it by its name.`);
    if (isAtRest) registerAtRest(context.pm2);
    await startWithPm2(context, connection, apps);
  } finally {
    connection.close();
  }
}

export async function connectOrLaunch({ pm2, socket, timeoutMs }: StartContext): Promise<Connection> {
  const code = await probeSocket(socket);
  if (code === "ENOENT" || code === "ECONNREFUSED") await launchDaemon(pm2);
  return connect(socket, timeoutMs);
}

/** @throws {LinkFailure} PM2_NOT_RUNNING */
async function connectOnly({ socket, timeoutMs }: StartContext): Promise<Connection> {
  const code = await probeSocket(socket);
  if (code !== undefined) throw unreachableError(code, socket);
  return connect(socket, timeoutMs);
}

/** PM2 resolves paths from its working directory, and a worker cannot change directories. */
export function setWorkingFolder(folder: string): void {
  process.cwd = () => folder;
  process.env["PWD"] = folder;
}

/** A daemon stays in the folder in which it is started, and outlives a release there. */
async function launchDaemon(pm2: Pm2): Promise<void> {
  const folder = process.cwd();
  setWorkingFolder(lastingFolder(realPathIfReadable(folder), existsSync));
  try {
    await launch(pm2);
  } finally {
    setWorkingFolder(folder);
  }
}

function launch({ Client: client }: Pm2): Promise<void> {
  const launched = new Promise<void>((done, fail) => {
    client.launchDaemon({ interactor: false }, (error) => {
      if (error === null) done();
      else fail(new LinkFailure("PM2_START_FAILED", `No PM2 daemon could be started: ${errorText(error)}`));
    });
  });
  return withTimeout(launched, DAEMON_START_TIMEOUT_MS, "The new PM2 daemon did not come up");
}

async function startWithPm2(
  { pm2, timeoutMs, handOver }: StartContext,
  connection: Connection,
  apps: readonly Fields[],
): Promise<void> {
  const waitMs = timeoutMs + Math.max(...apps.map(readinessMs));
  await withTimeout(
    Promise.race([connectLibrary(pm2), connection.lost]),
    timeoutMs,
    "PM2 did not accept the connection",
  );
  handOver(waitMs);
  const started = new Promise<void>((done, fail) => {
    pm2.start({ apps }, (error) => {
      if (!error) done();
      else fail(new LinkFailure("PM2_ACTION_FAILED", maskValues(errorText(error), apps)));
    });
  });
  await withTimeout(Promise.race([started, connection.lost]), waitMs, "PM2 did not answer");
}

/**
 * PM2 (5.4 to 7) registers a record with the status `stopped`, including its schedule, without running it; that is how
 * it brings stopped apps back after a reboot. Such a record has to be complete, as if the app had run.
 */
function registerAtRest({ Client: client }: Pm2): void {
  const send = client.executeRemote.bind(client);
  client.executeRemote = (method, conf, done) => {
    if (method !== "prepare") return send(method, conf, done);
    const { instances, ...app } = conf;
    const count = typeof instances === "number" && instances > 1 ? instances : 1;
    const registered: unknown[] = [];
    const registerNext = (index: number): void => {
      if (index === count) return done(null, registered);
      send(method, restingRecord(app, index), (error, list) => {
        if (error) return done(error);
        registered.push(...(Array.isArray(list) ? (list as unknown[]) : [list]));
        registerNext(index + 1);
      });
    };
    registerNext(0);
  };
}

function restingRecord(app: Readonly<Record<string, unknown>>, instance: number): Record<string, unknown> {
  const env = { ...fieldsOf(app["env"]), NODE_APP_INSTANCE: instance };
  const counters = { restart_time: 0, unstable_restarts: 0, axm_actions: [], axm_monitor: {}, axm_options: {} };
  return { ...app, ...env, env, ...counters, created_at: Date.now(), status: "stopped" };
}

export function connectLibrary({ Client: client }: Pm2): Promise<void> {
  // PM2's library sets these variables, and would pass them to the apps.
  for (const name of ["PM2_PROGRAMMATIC", "PM2_DISABLE_VERSION_CHECK"]) delete process.env[name];
  return new Promise((done, fail) => {
    client.launchRPC((error) => (error ? fail(new LinkFailure("PM2_CONNECTION_LOST", errorText(error))) : done()));
    // The client reconnects by itself and then sends queued requests, so an app could start late.
    client.client_sock.set("retry timeout", 0);
  });
}

function readinessMs({ wait_ready: isAwaited, listen_timeout: ms = 3000, instances }: Fields): number {
  if (isAwaited !== true || typeof ms !== "number") return 0;
  return ms * (typeof instances === "number" && instances > 0 ? instances : 1);
}
