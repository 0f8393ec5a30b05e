/**
 * Requests per second of `GET /api/runtime/env`, as a ratio to a bare Fastify route that returns the same file. Each
 * server is a separate process, and requests alternate between them.
 *
 * node --import tsx bench/http.ts [rounds] [connections]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Fastify from "fastify";
import { nodePorts } from "../src/core/index.ts";
import { startServer } from "../src/server/start.ts";

const ROUNDS = Number(process.argv[2] ?? 20);
const CONNECTIONS = Number(process.argv[3] ?? 16);
const ROUND_MS = 400;
const WARM_UP_ROUNDS = 5;
const GOAL = 0.8;
const ROOT = join(import.meta.dirname, "..");
const ENV_FILE = join(ROOT, "apps/backend-template/src/config/.env.dev");
const PATH = "/api/runtime/env";

const servers = {
  async bare(): Promise<number> {
    const app = Fastify();
    app.get(PATH, async () => await readFile(ENV_FILE));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  },
  async svcm(): Promise<number> {
    const ports = nodePorts({ root: ROOT, env: {}, cwd: ROOT });
    return Number(new URL((await startServer({ ports, env: {}, version: "0.0.0", port: 0 })).url).port);
  },
};
type Name = keyof typeof servers;

class Contender {
  readonly #child: ChildProcess;
  readonly #sockets: Socket[];

  private constructor(child: ChildProcess, sockets: Socket[]) {
    this.#child = child;
    this.#sockets = sockets;
  }

  static async start(name: Name): Promise<Contender> {
    const argv = ["--import", "tsx", fileURLToPath(import.meta.url), "--serve", name];
    const child = spawn(process.execPath, argv, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), "127.0.0.1").setNoDelay());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Contender(child, sockets);
  }

  /** Requests per second; each connection sends the next request at once. */
  async round(): Promise<number> {
    const start = performance.now();
    const counts = await Promise.all(this.#sockets.map((socket) => askUntil(socket, start + ROUND_MS)));
    return counts.reduce((sum, count) => sum + count) / ((performance.now() - start) / 1000);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#child.kill();
  }
}

const REQUEST = `GET ${PATH}?environment=dev HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Equal response lengths spare the client the parsing. */
async function askUntil(socket: Socket, deadline: number): Promise<number> {
  let count = 0;
  let awaited = 0;
  let received = 0;
  return await new Promise((resolve) => {
    const onData = (chunk: Buffer): void => {
      awaited ||= lengthOf(chunk);
      received += chunk.length;
      if (received < awaited) return;
      received = 0;
      count++;
      if (performance.now() < deadline) return void socket.write(REQUEST);
      socket.off("data", onData);
      resolve(count);
    };
    socket.on("data", onData);
    socket.write(REQUEST);
  });
}

function lengthOf(response: Buffer): number {
  const text = response.toString("latin1");
  const length = Number(/^content-length: (\d+)\r$/im.exec(text)?.[1]);
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes("\r\n\r\n") || !(length > 0)) throw new Error(text);
  return text.indexOf("\r\n\r\n") + 4 + length;
}

async function race(): Promise<Record<Name, number[]>> {
  const contenders = { bare: await Contender.start("bare"), svcm: await Contender.start("svcm") };
  const rates: Record<Name, number[]> = { bare: [], svcm: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const name of round % 2 === 0 ? (["bare", "svcm"] as const) : (["svcm", "bare"] as const)) {
      const rate = await contenders[name].round();
      if (round >= 0) rates[name].push(rate);
    }
  }
  for (const contender of Object.values(contenders)) contender.stop();
  return rates;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;

if (process.argv[2] === "--serve") {
  console.log(await servers[process.argv[3] as Name]());
} else {
  const { bare, svcm } = await race();
  const ratio = median(svcm.map((rate, round) => rate / (bare[round] ?? NaN)));
  console.log(
    `GET env: ${ratio.toFixed(2)} x a bare Fastify route, goal ${GOAL}` +
      ` (medians ${median(svcm).toFixed(0)} and ${median(bare).toFixed(0)} requests/s, ${CONNECTIONS} connections, ${ROUNDS} rounds)`,
  );
}
