/**
 * The server's CPU time for 100 viewers of one log, compared with one viewer. Each follows the log over the WebSocket,
 * from another process. The goal is at most twice the cost of one viewer.
 *
 * node --import tsx bench/log-viewers.ts [seconds a run] [rounds] [lines a second]
 */
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { WebSocket } from "ws";
import { SOCKET_PATH } from "../src/core/api/channel.ts";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { cpuMs } from "./cpu.ts";
import { median } from "./median.ts";
import { serveInChild, runServer, startSvcm } from "./served.ts";

const MANY = 100;
const GOAL = 2;
const WARM_UP_MS = 3_000;

if (process.argv[2] === "--serve") await runServer((ports) => startSvcm(ports));
else await compare(process.argv.slice(2).map(Number));

async function compare([seconds = 20, rounds = 3, pace = 1_000]: readonly number[]): Promise<void> {
  const own = pm2();
  try {
    await own.startDaemon();
    await write(own, pace);
    const shares = new Map<number, number[]>([
      [1, []],
      [MANY, []],
    ]);
    for (let round = 0; round < rounds; round += 1)
      for (const [viewers, all] of shares) all.push(await shareOf(own, { viewers, seconds, pace }));
    const [one = Number.NaN, many = Number.NaN] = [...shares.values()].map(median);
    console.log(
      `${pace} lines a second: ${MANY} viewers cost ${(many / one).toFixed(2)} x one, goal ${GOAL}, ` +
        `${many / one <= GOAL ? "met" : "missed"} (per cent of a core: one ${one.toFixed(1)}, ${MANY} ${many.toFixed(1)})`,
    );
  } finally {
    await own.end();
  }
}

async function write(own: Pm2, pace: number): Promise<void> {
  const code = `const text = "x".repeat(90); let n = 0;
    setInterval(() => { for (let i = 0; i < ${pace / 100}; i += 1) console.log((n += 1) + " " + text); }, 10);`;
  const files = { out_file: join(own.folder, "loud.log"), error_file: "/dev/null", merge_logs: true };
  await own.run({ name: "loud", ...files, code });
}

/** Per cent of a core. */
async function shareOf(
  own: Pm2,
  { viewers, seconds, pace }: { readonly viewers: number; readonly seconds: number; readonly pace: number },
): Promise<number> {
  const server = await serveInChild(import.meta.url, own);
  const sockets = Array.from({ length: viewers }, () => new WebSocket(`ws://127.0.0.1:${server.port}${SOCKET_PATH}`));
  let bytes = 0;
  for (const socket of sockets) socket.on("message", (data: Buffer) => (bytes += data.length));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  for (const socket of sockets) socket.send(JSON.stringify({ type: "logs.subscribe", apps: ["loud"], tail: 100 }));
  await after(WARM_UP_MS);
  bytes = 0;
  const before = cpuMs(server.pid);
  await after(seconds * 1000);
  const spent = cpuMs(server.pid) - before;
  for (const socket of sockets) socket.terminate();
  await server.end();
  // With fewer bytes, the viewers have not received every line.
  if (bytes < viewers * seconds * pace * 90) throw new Error(`${viewers} viewers got ${bytes} bytes only.`);
  return (spent / (seconds * 1000)) * 100;
}
