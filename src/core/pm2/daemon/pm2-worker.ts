/** PM2 may exit the process and throws outside any call; in a worker, that ends only the worker. */
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { errorText, LinkFailure } from "./failure.ts";
import { digestWith } from "./key.ts";
import {
  isRead,
  type Answer,
  type Call,
  type RenewCall,
  type Request,
  type Response,
  type WorkerData,
} from "./protocol.ts";
import { act, actOnFile, drain } from "./worker/act.ts";
import { listenToBus, type BusListener } from "./worker/bus.ts";
import { isModule } from "./worker/connection.ts";
import { loadPm2 } from "./worker/pm2-api.ts";
import { publishRecords, scrubForEnvironments } from "./worker/process-record.ts";
import { Pm2Reader } from "./worker/reader.ts";
import { renew } from "./worker/renew.ts";
import { restoreList } from "./worker/restore-list.ts";
import { connectOrLaunch, setWorkingFolder, startApp } from "./worker/start-app.ts";

const { socket, salt, timeoutMs } = workerData as WorkerData;
const reader = new Pm2Reader(workerData as WorkerData);
let busListener: Promise<BusListener> | undefined;

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
  if (isRead(call)) return reader.answer(call);
  if (call.method === "ready") return { ready: (await updateBusListener(call.isListening))?.readyAt() };
  if (call.method === "written") return { written: (await busListener)?.writtenBy(call.pmId) };
  if (call.method === "launch") {
    setWorkingFolder(call.folder);
    (await connectOrLaunch({ pm2: await loadPm2(), socket, timeoutMs, handOver })).close();
    return {};
  }
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
  return reader.withConnection(async (connection) => {
    const context = { connection, timeoutMs, handOver, home: dirname(socket) };
    if (call.method === "drain") {
      await drain(context);
      return {};
    }
    if ("target" in call) return { processes: reader.publish([await act(context, call)]) };
    await actOnFile(context, call);
    return {};
  });
}

async function runRenewal(call: RenewCall, handOver: (waitMs: number) => void): Promise<Answer> {
  // Its daemon may change with each step.
  await reader.close();
  const { records = [], restored } = await renew({ home: dirname(socket), timeoutMs, handOver }, call);
  const apps = records.filter((one) => !isModule(one));
  return {
    processes: publishRecords(apps, scrubForEnvironments(apps), (value) => digestWith(salt, value)),
    texts: records.map(({ name }) => String(name)),
    ...(restored && { restored }),
  };
}

async function updateBusListener(isListening: boolean | undefined): Promise<BusListener | undefined> {
  if (isListening === false) {
    (await busListener)?.close();
    busListener = undefined;
  }
  // Before a first daemon, nothing could be heard either.
  if (isListening === true && (await busListener)?.readyAt() === undefined)
    busListener = listenToBus(join(dirname(socket), "pub.sock"));
  return busListener;
}
