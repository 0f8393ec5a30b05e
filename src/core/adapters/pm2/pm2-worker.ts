/** PM2 may exit the process and throws outside any call; in a worker, that ends only the worker. */
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { digestWith } from "./key.ts";
import { LinkFailure, wordsOf } from "./failure.ts";
import { REDACTED } from "../../secrets/redact.ts";
import type { Scrub } from "../../pm2/scrub.ts";
import type { Answer, Call, Request, Response, WorkerData } from "./protocol.ts";
import { act, actOnFile } from "./worker/act.ts";
import { connect, type Connection, listProcesses, listWithModules } from "./worker/connection.ts";
import { hearBus, type Hearing } from "./worker/hearing.ts";
import { loadPm2 } from "./worker/pm2-api.ts";
import { environmentScrub, published } from "./worker/process-record.ts";
import { startApp } from "./worker/start-app.ts";
import { unlistedPids } from "./worker/unlisted.ts";

const { socket, salt, timeoutMs } = workerData as WorkerData;
let connection: Promise<Connection> | undefined;
let hearing: Promise<Hearing> | undefined;
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
    const handOver = (patienceMs: number): void => send({ id, handedOver: true, patienceMs });
    send({ id, ok: true, answer: await run(call, handOver) });
  } catch (error) {
    const failure = error instanceof LinkFailure ? error : new LinkFailure("PM2_FAILED", wordsOf(error));
    send({ id, ok: false, failure: failure.body });
  }
}

async function run(call: Call, handOver: (patienceMs: number) => void): Promise<Answer> {
  if (call.method === "scrub") return { texts: call.texts.map((text) => scrub(text)) };
  if (call.method === "ready") return { ready: (await hear(call.isOn))?.readyAt() };
  if (call.method === "startApp") {
    workIn(call.folder);
    await startApp({ pm2: await loadPm2(), socket, timeoutMs, handOver }, call.name, call.apps);
    return {};
  }
  return overKept(async (kept, restMs) => {
    if (call.method === "list") {
      const processes = await listProcesses(kept, restMs);
      scrub = environmentScrub(processes);
      return { processes: published(processes, scrub, (value) => digestWith(call.salt ?? salt, value)) };
    }
    if (call.method === "unlisted") return { pids: unlistedPids(dirname(socket), await listWithModules(kept, restMs)) };
    const acting = { connection: kept, timeoutMs, handOver, home: dirname(socket) };
    if ("target" in call)
      return { processes: published([await act(acting, call)], scrub, (value) => digestWith(salt, value)) };
    await actOnFile(acting, call);
    return {};
  });
}

/** A request that timed out would hold up later ones, so its connection takes no more. */
async function overKept<T>(work: (kept: Connection, restMs: number) => Promise<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  const opened = (connection ??= open());
  const kept = await opened;
  try {
    return await work(kept, Math.max(1, until - performance.now()));
  } catch (error) {
    if (error instanceof LinkFailure && error.code === "PM2_TIMEOUT") {
      if (connection === opened) connection = undefined;
      kept.retire();
    }
    throw error;
  }
}

async function hear(isOn: boolean | undefined): Promise<Hearing | undefined> {
  if (isOn === false) {
    (await hearing)?.close();
    hearing = undefined;
  }
  if (isOn === true) hearing ??= hearBus(join(dirname(socket), "pub.sock"));
  return hearing;
}

/** PM2 resolves paths from its working directory, and a worker cannot change directories. */
function workIn(folder: string): void {
  process.cwd = () => folder;
  process.env["PWD"] = folder;
}

function open(): Promise<Connection> {
  const opened = connect(socket, timeoutMs);
  const forget = (): void => {
    if (connection === opened) connection = undefined;
  };
  opened.then(({ lost }) => lost.catch(forget)).catch(forget);
  return opened;
}
