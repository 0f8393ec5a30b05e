import { get } from "node:http";

/**
 * A program that answers after 50 ms, and on SIGINT finishes requests in flight. MODE decides whether it crashes at its
 * start, crashes later, answers with 500 (`bad`) or never listens (`silent`).
 */
export const SERVER = `
const { MODE, SVC_HTTP_PORT } = process.env;
if (MODE === "crash") process.exit(3);
if (MODE === "late") setTimeout(() => process.exit(3), 300);
const server = require("node:http").createServer((request, response) => {
  const status = MODE === "bad" ? 500 : 200;
  setTimeout(() => response.writeHead(status).end(JSON.stringify({ pid: process.pid })), 50);
});
if (MODE !== "silent" && MODE !== "late") server.listen(Number(SVC_HTTP_PORT), "127.0.0.1", () => process.send?.("ready"));
setInterval(() => {}, 1e6);
process.on("SIGINT", () => server.close(() => process.exit(0)));`;

export interface Load {
  readonly sent: number;
  readonly failed: number;
  /** From the first to the last failed request, in milliseconds. */
  readonly downMs: number;
}

/** Sends 200 requests a second to a port, each on its own connection, while an action runs. */
export async function loadDuring(port: number, work: () => Promise<unknown>): Promise<Load> {
  const pending: Promise<boolean>[] = [];
  const failedAt: number[] = [];
  const timer = setInterval(() => {
    const at = performance.now();
    pending.push(isResponding(port).then((isGood) => isGood || (failedAt.push(at), false)));
  }, 5);
  await work().finally(() => clearInterval(timer));
  const answered = await Promise.all(pending);
  const downMs = failedAt.length === 0 ? 0 : Math.max(...failedAt) - Math.min(...failedAt);
  return { sent: answered.length, failed: failedAt.length, downMs };
}

/** Much longer than any answer takes. A cluster may pass a connection to a process that is ending and no longer answers. */
const UNANSWERED_MS = 60_000;

export function isResponding(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
    }).once("error", () => resolve(false));
    request.setTimeout(UNANSWERED_MS, () => request.destroy());
  });
}

export interface Availability {
  readonly pids: ReadonlySet<number>;
  /** The smallest number of processes that answered at any time. */
  readonly fewest: number;
}

/**
 * Sends requests to a port of a cluster continuously while an action runs, each on its own connection, and counts the
 * processes that answer. A process counts from its first to its last answer, because none listens twice.
 */
export async function availabilityDuring(
  port: number,
  instances: number,
  work: () => Promise<unknown>,
): Promise<Availability> {
  const answers: number[] = [];
  const ask = async () => void answers.push(await pidOf(port));
  const untilAll = async (): Promise<void> => {
    const from = answers.length;
    while (new Set(answers.slice(from)).size < instances) await ask();
  };
  await untilAll();
  const begun = answers.length;
  const over = new AbortController();
  const working = work().finally(() => over.abort());
  working.catch(() => undefined);
  while (!over.signal.aborted) await ask();
  await working;
  const ended = answers.length;
  await untilAll();
  const pids = new Set(answers);
  const spans = [...pids].map((pid) => [answers.indexOf(pid), answers.lastIndexOf(pid)] as const);
  const counts = answers.map((_, at) => spans.filter(([first, last]) => first <= at && at <= last).length);
  return { pids, fewest: Math.min(...counts.slice(begun, ended)) };
}

/** The `pid` in an answer. */
function pidOf(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("end", () => resolve((JSON.parse(text) as { pid: number }).pid));
    }).once("error", reject);
  });
}
