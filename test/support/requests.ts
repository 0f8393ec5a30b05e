import { get } from "node:http";

/**
 * A program that answers after 50 ms, and finishes at SIGINT what is in flight. By MODE it crashes at its start, crashes
 * late, answers with 500 (`bad`) or never listens (`silent`).
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
  /** From the first to the last request that failed, in milliseconds. */
  readonly downMs: number;
}

/** Sends 200 requests a second to a port, each over its own connection, while something happens. */
export async function loadDuring(port: number, work: () => Promise<unknown>): Promise<Load> {
  const asked: Promise<boolean>[] = [];
  const failedAt: number[] = [];
  const timer = setInterval(() => {
    const at = performance.now();
    asked.push(isAnswered(port).then((isGood) => isGood || (failedAt.push(at), false)));
  }, 5);
  await work().finally(() => clearInterval(timer));
  const answered = await Promise.all(asked);
  const downMs = failedAt.length === 0 ? 0 : Math.max(...failedAt) - Math.min(...failedAt);
  return { sent: answered.length, failed: failedAt.length, downMs };
}

export function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
    }).once("error", () => resolve(false));
  });
}
