/** A real NATS server on loopback, for one test or a file of tests. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { isSupportedVersion, OLDEST_NATS } from "../../src/fleet/identity.ts";
import { freePort } from "./free-port.ts";
import { temporaryFolder, type WhenOver } from "./temporary-folder.ts";

/** `.ci/run` gets the first from Debian 13, because the package of Debian 12 is too old for svcm. */
const PROGRAMS = ["/opt/nats-server/nats-server", "nats-server"];
export const NATS_SERVER = PROGRAMS.find((program) => {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 && isSupportedVersion(stdout.trim().split(" v")[1]);
});
/** Debian 12 has one. */
export const OLD_SERVER = PROGRAMS.find(
  (program) => spawnSync(program, ["--version"]).status === 0 && program !== NATS_SERVER,
);
export const hasNats = NATS_SERVER !== undefined;
if (!hasNats) console.warn(`Tests of the fleet are skipped: they need nats-server ${OLDEST_NATS} or newer.`);

export interface NatsServer {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the program has ended. */
  kill(): Promise<void>;
  /** Restarts the server on the same port, without the content of its memory or disk. Resolves when it listens. */
  again(options?: { readonly isEmpty?: boolean; readonly accounts?: string }): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/**
 * @param accounts what `svcm nats config` prints; without it, every client may do everything
 * @param host the address at which it listens
 * @param program instead of a supported one
 */
export async function natsServer(
  accounts = "",
  more = "",
  whenOver: WhenOver = onTestFinished,
  host = "127.0.0.1",
  program = NATS_SERVER,
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
  let child = await startNats(config, program);
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
    async again({ isEmpty = false, accounts: next } = {}) {
      if (next !== undefined) writeFileSync(join(folder, "svcm.conf"), next);
      if (isEmpty) rmSync(join(folder, "store"), { recursive: true });
      child = await startNats(config, program);
    },
    signal: (name) => void child.kill(name),
  };
}

/** Starts the program with a configuration file. Resolves when it listens. */
export async function startNats(config: string, program = NATS_SERVER ?? ""): Promise<ChildProcess> {
  const child = spawn(program, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
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
