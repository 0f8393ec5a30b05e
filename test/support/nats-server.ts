/** A real NATS server on loopback, for one test or a file of tests. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import { temporaryFolder, type WhenOver } from "./temporary-folder.ts";

/** Debian's package is named nats-server. */
export const hasNats = spawnSync("nats-server", ["--version"]).status === 0;

export interface NatsServer {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the program has ended. */
  kill(): Promise<void>;
  /** Restarts the server on the same port, without the content of its memory or disk. Resolves when it listens. */
  again(options?: { readonly isEmpty: boolean }): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/**
 * @param accounts what `svcm nats config` prints; without it, every client may do everything
 * @param host the address at which it listens
 */
export async function natsServer(
  accounts = "",
  more = "",
  whenOver: WhenOver = onTestFinished,
  host = "127.0.0.1",
): Promise<NatsServer> {
  const folder = temporaryFolder(whenOver);
  const port = await freePort();
  const config = join(folder, "server.conf");
  writeFileSync(join(folder, "svcm.conf"), accounts);
  const lines = [
    `listen: "${host}:${port}"`,
    `jetstream { store_dir: "${join(folder, "store")}" }`,
    ...(accounts === "" ? [] : ['include "svcm.conf"']),
    more,
  ];
  writeFileSync(config, lines.join("\n"));
  let child = await startNats(config);
  whenOver(() => void child.kill("SIGKILL"));
  return {
    url: `nats://${host}:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    async again({ isEmpty } = { isEmpty: false }) {
      if (isEmpty) rmSync(join(folder, "store"), { recursive: true });
      child = await startNats(config);
    },
    signal: (name) => void child.kill(name),
  };
}

/** Starts the program with a configuration file. Resolves when it listens. */
export async function startNats(config: string): Promise<ChildProcess> {
  const child = spawn("nats-server", ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.includes("Server is ready")) {
      child.stderr.resume();
      return child;
    }
  }
  throw new Error(`nats-server did not start:\n${lines.join("\n")}`);
}
