import type { Fields } from "../../../pm2/normalise.ts";
import { LinkFailure, wordsOf } from "../failure.ts";
import { probe } from "../daemon.ts";
import { connect, type Connection, listProcesses, orTimeout } from "./connection.ts";
import type { Pm2 } from "./pm2-api.ts";
import { withoutValues } from "./without-values.ts";

export interface Starting {
  readonly pm2: Pm2;
  readonly socket: string;
  readonly timeoutMs: number;
  readonly handOver: (patienceMs: number) => void;
}

const DAEMON_START_MS = 20_000;

/** @throws {LinkFailure} */
export async function startApp(starting: Starting, name: string, apps: readonly Fields[]): Promise<void> {
  const connection = await connectOrLaunch(starting);
  try {
    if ((await listProcesses(connection, starting.timeoutMs)).some((known) => String(known.name) === name))
      throw new LinkFailure("APP_ALREADY_KNOWN", `PM2 knows ${JSON.stringify(name)} already: start it by its name.`);
    await handApps(starting, connection, apps);
  } finally {
    connection.close();
  }
}

async function connectOrLaunch({ pm2, socket, timeoutMs }: Starting): Promise<Connection> {
  const refused = await probe(socket);
  if (refused === "ENOENT" || refused === "ECONNREFUSED") await launchDaemon(pm2);
  return connect(socket, timeoutMs);
}

function launchDaemon({ Client: client }: Pm2): Promise<void> {
  const launched = new Promise<void>((done, fail) => {
    client.launchDaemon({ interactor: false }, (error) => {
      if (error === null) done();
      else fail(new LinkFailure("PM2_START_FAILED", `No PM2 daemon could be started: ${wordsOf(error)}`));
    });
  });
  return orTimeout(launched, DAEMON_START_MS, "The new PM2 daemon did not come up");
}

async function handApps(
  { pm2, timeoutMs, handOver }: Starting,
  connection: Connection,
  apps: readonly Fields[],
): Promise<void> {
  const patienceMs = timeoutMs + Math.max(...apps.map(readinessMs));
  await orTimeout(Promise.race([connectLibrary(pm2), connection.lost]), timeoutMs, "PM2 did not accept the connection");
  // PM2's library sets these variables, and would pass them to the apps.
  for (const mark of ["PM2_PROGRAMMATIC", "PM2_DISABLE_VERSION_CHECK"]) delete process.env[mark];
  handOver(patienceMs);
  const started = new Promise<void>((done, fail) => {
    pm2.start({ apps }, (error) => {
      if (!error) done();
      else fail(new LinkFailure("PM2_ACTION_FAILED", withoutValues(wordsOf(error), apps)));
    });
  });
  await orTimeout(Promise.race([started, connection.lost]), patienceMs, "PM2 did not answer");
}

function connectLibrary({ Client: client }: Pm2): Promise<void> {
  return new Promise((done, fail) => {
    client.launchRPC((error) => (error ? fail(new LinkFailure("PM2_CONNECTION_LOST", wordsOf(error))) : done()));
    // The client reconnects by itself and then sends queued requests, so an app could start late.
    client.client_sock.set("retry timeout", 0);
  });
}

function readinessMs({ wait_ready: waits, listen_timeout: ms = 3000, instances }: Fields): number {
  if (waits !== true || typeof ms !== "number") return 0;
  return ms * (typeof instances === "number" && instances > 0 ? instances : 1);
}
