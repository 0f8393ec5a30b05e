/** Faults as a real PM2, a real kernel and a real disk cause them. Each is a fault of the app `api`. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocket } from "ws";
import { connect } from "../../src/client/index.ts";
import { canMount, mountUntil } from "./machine.ts";
import { memoryGroup } from "./memory-group.ts";
import { endsWith, type Pm2 } from "./pm2-daemon.ts";
import { svcm, type RunResult } from "./svcm.ts";

export interface FaultStage {
  readonly own: Pm2;
  /** The address of a server with that PM2. */
  readonly url: string;
  /** A variable of the app that must not appear anywhere. */
  readonly secret: string;
  /** Undone in reverse order. */
  readonly onEnd: (undo: () => void) => void;
}

export interface Fault {
  /** The heading in the documentation. */
  readonly title: string;
  /** The file name of the console's picture, without its extension. */
  readonly picture: string;
  /** Set if the machine cannot cause the fault. */
  readonly needs?: string;
  /** Returns false on a machine that cannot cause the fault. */
  readonly cause: (stage: FaultStage) => Promise<boolean | void>;
}

const READY = { wait_ready: true, listen_timeout: 60_000 };
const IDLE = "setInterval(() => {}, 1e6);";

export const faults: readonly Fault[] = [
  {
    title: "A crash on start",
    picture: "on-call-crash-on-start",
    cause: (stage) =>
      run(stage, {
        max_restarts: 2,
        code: endsWith('new Error("no database at 10.0.0.5, password=" + process.env.DB_PASSWORD)', 1),
      }),
  },
  {
    title: "A crash loop every nine seconds",
    picture: "on-call-crash-loop",
    cause: (stage) => run(stage, { code: `setTimeout(() => { ${endsWith('"lost the database"', 7)} }, 9000);` }),
  },
  {
    title: "A memory limit",
    picture: "on-call-memory-limit",
    cause: (stage) => run(stage, { max_memory_restart: "1M" }),
  },
  {
    title: "A kill by the kernel",
    picture: "on-call-kernel-kill",
    needs: "root and a memory cgroup",
    cause: runOutOfMemory,
  },
  { title: "A taken port", picture: "on-call-taken-port", cause: takePort },
  { title: "A process that hangs", picture: "on-call-hang", cause: hang },
  { title: "A full disk", picture: "on-call-full-disk", needs: "root, to mount a small disk", cause: fillDisk },
];

/** The output below the heading of a fault. */
export function answerIn(page: string, title: string): string {
  const [, section = ""] = page.split(`\n## ${title}\n`);
  return /```text\n([^]*?)\n```/.exec(section)?.[1] ?? "";
}

/** Resolves with the first output of `svcm why` that differs only in numbers. */
export async function untilNamed({ folder, home }: Pm2, expected: string): Promise<RunResult> {
  for (;;) {
    const answer = await svcm(["why", "api"], { root: folder, env: { PM2_HOME: home } });
    if (foldNumbers(answer.stdout) === foldNumbers(expected)) return answer;
  }
}

/** Times, ports and sizes differ between two runs of the same fault. */
function foldNumbers(text: string): string {
  return text.trimEnd().replaceAll(/\d[\d:.-]*/g, "0");
}

/** With PM2's agent, as for users. */
function run({ own, secret }: FaultStage, app: object): Promise<void> {
  return own.run({ name: "api", pmx: true, env: { DB_PASSWORD: secret }, ...app });
}

async function runOutOfMemory(stage: FaultStage): Promise<boolean> {
  const group = memoryGroup(`svcm-fault-${process.pid}`, 48 * 2 ** 20);
  if (group === undefined) return false;
  const code = `process.on("SIGUSR2", () => { const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1)); });
    process.send("ready"); ${IDLE}`;
  const isWatched = untilStarted(stage.url);
  await run(stage, { ...READY, code });
  stage.onEnd(() => group.remove());
  await isWatched;
  const [record] = await stage.own.link().list();
  group.add(record?.pid ?? 0);
  process.kill(record?.pid ?? 0, "SIGUSR2");
  return true;
}

/** Resolves with the event of the start: the server has seen the process, so it can find who kills it. */
async function untilStarted(url: string): Promise<void> {
  const client = connect({ url, WebSocket });
  try {
    for await (const { app } of client.events()) if (app === "api") return;
  } finally {
    client.close();
  }
}

/** The port belongs to another app of the same PM2. */
async function takePort(stage: FaultStage): Promise<void> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  const listen = `require("node:net").createServer().listen(${port}, "127.0.0.1"`;
  await stage.own.run({ name: "api-old", ...READY, code: `${listen}, () => process.send("ready"));` });
  await run(stage, { max_restarts: 2, code: `${listen});` });
}

async function hang(stage: FaultStage): Promise<void> {
  const code = `const server = require("node:net").createServer(() => { for (;;); }).listen(0, "127.0.0.1", () => {
      require("node:fs").writeFileSync("hung-port", String(server.address().port));
      process.send("ready");
    });`;
  await run(stage, { ...READY, code });
  const port = Number(readFileSync(join(stage.own.folder, "hung-port"), "utf8"));
  // The first connection makes the process hang, so the second one waits.
  const sockets = [createConnection(port, "127.0.0.1"), createConnection(port, "127.0.0.1")];
  for (const socket of sockets) socket.on("error", () => undefined);
  stage.onEnd(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
}

async function fillDisk(stage: FaultStage): Promise<boolean> {
  if (!canMount) return false;
  mountUntil(stage.onEnd, join(stage.own.folder, "data"), "-t", "tmpfs", "-o", "size=1m", "tmpfs");
  const code = 'require("node:fs").writeFileSync("data/orders.db", Buffer.alloc(2 ** 21));';
  await run(stage, { max_restarts: 2, code });
  return true;
}
