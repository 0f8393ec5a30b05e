/** PM2 may exit the process and throws outside any call; in a worker, that ends only the worker. */
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { Scrub } from "../scrub.ts";
import { REDACTED } from "../../secrets/redact.ts";
import { errorText, LinkFailure } from "./failure.ts";
import { digestWith } from "./key.ts";
import { unlistedPids } from "./proc.ts";
import type { Answer, Call, RenewCall, Request, Response, WorkerData } from "./protocol.ts";
import { act, actOnFile, drain } from "./worker/act.ts";
import { type BusListener, listenToBus } from "./worker/bus.ts";
import { connect, type Connection, isModule, listAllProcesses, listProcesses } from "./worker/connection.ts";
import { loadPm2 } from "./worker/pm2-api.ts";
import { publishRecords, scrubForEnvironments } from "./worker/process-record.ts";
import { renew } from "./worker/renew.ts";
import { restoreList } from "./worker/restore-list.ts";
import { startApp } from "./worker/start-app.ts";

const { socket, salt, timeoutMs } = workerData as WorkerData;
let current: Promise<Connection> | undefined;
let busListener: Promise<BusListener> | undefined;
/** Until the first list arrives, no secret is known. */
let scrub: Scrub = () => REDACTED;

// PM2 prints messages for its own command line.
process.stdout.write = () => true;
process.stderr.write = () => true;

parentPort?.on("message", (request: Request) => void answer(request));

function send(response: Response): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a worker has no origin
  parentPort?.postMessage(response);
}

async function answer({ id, call }: Request): Promise<void> {
  try {
    const handOver = (waitMs: number): void => send({ id, handedOver: true, waitMs });
    send({ id, ok: true, answer: await run(call, handOver) });
  } catch (error) {
    const failure = error instanceof LinkFailure ? error : new LinkFailure("PM2_FAILED", errorText(error));
    send({ id, ok: false, failure: failure.body });
  }
}

async function run(call: Call, handOver: (waitMs: number) => void): Promise<Answer> {
  if (call.method === "scrub") return { texts: call.texts.map((text) => scrub(text)) };
  if (call.method === "ready") return { ready: (await updateBusListener(call.isListening))?.readyAt() };
  if (call.method === "startApp") {
    setWorkingFolder(call.folder);
    await startApp({ pm2: await loadPm2(), socket, timeoutMs, handOver }, call);
    return {};
  }
  if (call.method === "restoreList") {
    setWorkingFolder("/");
    return { restored: await restoreList({ pm2: await loadPm2(), socket, timeoutMs, handOver }) };
  }
  if (call.method === "renew") return await runRenewal(call, handOver);
  return withConnection(async (connection, restMs) => {
    if (call.method === "list") {
      const processes = await listProcesses(connection, restMs);
      scrub = scrubForEnvironments(processes);
      return { processes: publishRecords(processes, scrub, (value) => digestWith(call.salt ?? salt, value)) };
    }
    if (call.method === "unlisted")
      return { pids: unlistedPids(dirname(socket), await listAllProcesses(connection, restMs)) };
    const context = { connection, timeoutMs, handOver, home: dirname(socket) };
    if (call.method === "drain") {
      await drain(context);
      return {};
    }
    if ("target" in call)
      return { processes: publishRecords([await act(context, call)], scrub, (value) => digestWith(salt, value)) };
    await actOnFile(context, call);
    return {};
  });
}

async function runRenewal(call: RenewCall, handOver: (waitMs: number) => void): Promise<Answer> {
  // Its daemon may change with each step.
  (await current?.catch(() => undefined))?.retire();
  current = undefined;
  const { records = [], restored } = await renew({ home: dirname(socket), timeoutMs, handOver }, call);
  const apps = records.filter((one) => !isModule(one));
  return {
    processes: publishRecords(apps, scrubForEnvironments(apps), (value) => digestWith(salt, value)),
    texts: records.map(({ name }) => String(name)),
    ...(restored && { restored }),
  };
}

/** A request that timed out would hold up later ones, so its connection takes no more. */
async function withConnection<T>(work: (connection: Connection, restMs: number) => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  const opened = (current ??= open());
  const connection = await opened;
  try {
    return await work(connection, Math.max(1, deadlineMs - performance.now()));
  } catch (error) {
    if (error instanceof LinkFailure && error.code === "PM2_TIMEOUT") {
      if (current === opened) current = undefined;
      connection.retire();
    }
    throw error;
  }
}

async function updateBusListener(isListening: boolean | undefined): Promise<BusListener | undefined> {
  if (isListening === false) {
    (await busListener)?.close();
    busListener = undefined;
  }
  if (isListening === true) busListener ??= listenToBus(join(dirname(socket), "pub.sock"));
  return busListener;
}

/** PM2 resolves paths from its working directory, and a worker cannot change directories. */
function setWorkingFolder(folder: string): void {
  process.cwd = () => folder;
  process.env["PWD"] = folder;
}

function open(): Promise<Connection> {
  const opened = connect(socket, timeoutMs);
  const forget = (): void => {
    if (current === opened) current = undefined;
  };
  opened.then(({ lost }) => lost.catch(forget)).catch(forget);
  return opened;
}
