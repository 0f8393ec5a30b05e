/**
 * The CPU time of the server and PM2's daemon for the WebSocket at 500 ms, with one client and with a hundred in
 * another process. The baseline is a `list()` and a serialisation for each client at each tick. Then the age of a
 * sample at a thousand clients.
 *
 * node --import tsx bench/stream.ts [seconds a run] [processes...]
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import type { Ports } from "../src/core/index.ts";
import { SOCKET_PATH } from "../src/core/api/channel.ts";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";
import { serveInChild, runServer, startSvcm } from "./served.ts";
import { startApps } from "./start-apps.ts";

const [seconds = 30, ...counts] = process.argv.slice(2).map(Number);
const RUN_MS = seconds * 1000;
const WARM_UP_MS = 2000;
const TICK_MS = 500;
const MANY = 100;
const CROWD = 1000;
const GOAL = 1.5;
const TWENTY_VARIABLES = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`SVC_KEY_${index}`, `value ${index}`]),
);

const servers = {
  svcm: (ports: Ports) => startSvcm(ports),
  async plain(ports: Ports): Promise<number> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    server.on("connection", (socket) => {
      const send = async (): Promise<void> => {
        // An overloaded daemon refuses, and that tick is lost.
        const processes = await ports.processes.list().catch(() => []);
        socket.send(JSON.stringify({ type: "metrics", payload: { processes } }));
      };
      const timer = setInterval(() => void send(), TICK_MS);
      socket.on("close", () => clearInterval(timer));
    });
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  },
};
type Name = keyof typeof servers;

if (process.argv[2] === "--serve") await runServer((ports) => servers[process.argv[5] as Name](ports));
else for (const count of counts.length > 0 ? counts : [20, 100]) await compare(count);

async function compare(count: number): Promise<void> {
  const own = pm2();
  try {
    const daemon = await own.startDaemon();
    await startApps(own, count, TWENTY_VARIABLES);
    const one = await costOf("svcm", 1, own, daemon.pid);
    const many = await costOf("svcm", MANY, own, daemon.pid);
    const plain = await costOf("plain", MANY, own, daemon.pid);
    const crowd = await costOf("svcm", CROWD, own, daemon.pid);
    console.log(
      `${count} processes: ${MANY} clients cost ${(many.cpu / one.cpu).toFixed(2)} x one, goal ${GOAL}, ` +
        `and ${(many.cpu / plain.cpu).toFixed(3)} x a list() for each ` +
        `(per cent of a core: one ${one.cpu.toFixed(1)}, ${MANY} ${many.cpu.toFixed(1)}, plain ${plain.cpu.toFixed(1)}, ` +
        `${CROWD} ${crowd.cpu.toFixed(1)}); at ${CROWD} clients p50 ${crowd.p50} ms, p99 ${crowd.p99} ms, ` +
        `${crowd.frames} of ${crowd.due} frames, ${crowd.megabytes} MB`,
    );
  } finally {
    await own.end();
  }
}

async function costOf(name: Name, clients: number, own: Pm2, daemon: number) {
  const server = await serveInChild(import.meta.url, own, [name]);
  const delays: number[] = [];
  const sockets = await crowdOf(clients, server.port, delays);
  await after(WARM_UP_MS);
  delays.length = 0;
  const before = cpuMs(server.pid, daemon);
  await after(RUN_MS);
  const spent = cpuMs(server.pid, daemon) - before;
  const megabytes = residentMegabytes(server.pid);
  const late = delays.toSorted((a, b) => a - b);
  for (const socket of sockets) socket.terminate();
  await server.end();
  const at = (share: number): number => late[Math.floor(late.length * share)] ?? NaN;
  const due = (clients * RUN_MS) / TICK_MS;
  return { cpu: (spent / RUN_MS) * 100, p50: at(0.5), p99: at(0.99), frames: late.length, due, megabytes };
}

async function crowdOf(count: number, port: number, delays: number[]): Promise<WebSocket[]> {
  const sockets = Array.from({ length: count }, () => new WebSocket(`ws://127.0.0.1:${port}${SOCKET_PATH}`));
  for (const socket of sockets) {
    socket.on("message", (data: Buffer) => {
      // The member is near the beginning of each sample, so the rest need not be read.
      const [, collectedAt] = /"collectedAt":"([^"]+)"/.exec(data.toString("latin1", 0, 200)) ?? [];
      if (collectedAt !== undefined) delays.push(Date.now() - Date.parse(collectedAt));
    });
  }
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  for (const socket of sockets) socket.send(JSON.stringify({ type: "subscribe", intervalMs: TICK_MS }));
  return sockets;
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
