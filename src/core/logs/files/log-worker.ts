/** The secrets of the processes stay in this thread, and a pattern that never ends blocks only it. */
import { createHmac } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { LogFailure, type Failure, type Request, type Response, type WorkerData } from "./protocol.ts";
import { ProcessList } from "./worker/process-list.ts";
import { readLogs } from "./worker/read-logs.ts";
import { Watches } from "./worker/watches.ts";

const data = workerData as WorkerData;
const ALIVE_INTERVAL_MS = 1000;
const SIGNATURE_CHARACTERS = 32;
const processList = new ProcessList(data);
const watches = new Watches(processList, send);

parentPort?.on("message", (request: Request) => void answer(request));
setInterval(() => watches.hasPattern && send({ isAlive: true }), ALIVE_INTERVAL_MS).unref();

function send(response: Response): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a worker has no origin
  parentPort?.postMessage(response);
}

async function answer(request: Request): Promise<void> {
  try {
    await run(request);
  } catch (error) {
    send({ id: request.id, failure: toFailure(error) });
  }
}

async function run({ id, call, secrets }: Request): Promise<void> {
  processList.addSecrets(secrets);
  switch (call.method) {
    case "read": {
      const context = { processList, sign, onPause: () => send({ isAlive: true }) };
      return send({ id, page: await readLogs(context, call) });
    }
    case "watch":
      return send({ id, places: await watches.start(call.key, call.filter, call.isLossless) });
    case "taken":
      return watches.taken(call.key);
    case "leave":
      return watches.leave(call.key);
  }
}

/** The cause may quote a log line, so it stays in the worker. */
function toFailure(error: unknown): Failure {
  if (error instanceof LogFailure) return error.failure;
  const name = error instanceof Error ? error.name : "Error";
  return { kind: "LOGS_FAILED", code: "LOGS_FAILED", details: `Reading the logs failed: ${name}.` };
}

function sign(text: string): string {
  return createHmac("sha256", data.key).update(text).digest("hex").slice(0, SIGNATURE_CHARACTERS);
}
