/** The secrets of the processes stay in this thread, and a pattern that never ends blocks only it. */
import { parentPort, workerData } from "node:worker_threads";
import { LogReader } from "./log-reader.ts";
import { packLines, mapLines, type ReaderData, type Request } from "./protocol.ts";

const ALIVE_INTERVAL_MS = 1000;

const reader = new LogReader(
  workerData as ReaderData,
  (response) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a worker has no origin
    parentPort?.postMessage(mapLines(response, packLines));
  },
  (error) => {
    throw error;
  },
);

parentPort?.on("message", (request: Request) => void reader.answer(request));
setInterval(() => reader.showAlive(), ALIVE_INTERVAL_MS).unref();
