/** A separate process for the server, in which the script of a bench starts itself again. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodePorts, type Ports } from "../src/core/index.ts";
import { startServer } from "../src/server/start.ts";
import type { Pm2 } from "../test/support/pm2-daemon.ts";

const CROWD = 2_000;

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  end(): Promise<void>;
}

/** @param argv passed to the script after the folders of the PM2 */
export async function serveInChild(
  script: string,
  { folder, home }: Pm2,
  argv: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(fileURLToPath(script), ["--serve", folder, home, ...argv], { execArgv: ["--import", "tsx"] });
  const [port] = (await once(child, "message")) as [number];
  return {
    pid: child.pid ?? 0,
    port,
    async end() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Called by a script that `serveInChild` started; ends with its parent process. */
export async function runServer(start: (ports: Ports) => Promise<number>): Promise<void> {
  const [folder = "", home = ""] = process.argv.slice(3);
  const ports = nodePorts({
    root: folder,
    env: { PATH: process.env["PATH"], HOME: folder, PM2_HOME: home },
    cwd: folder,
  });
  process.send?.(await start(ports));
  process.on("disconnect", () => process.exit()); // oxlint-disable-line unicorn/no-process-exit -- its parent is gone
}

/** Its limits allow many clients. Returns the port. */
export async function startSvcm(ports: Ports): Promise<number> {
  mkdirSync(ports.workspace.configDir, { recursive: true });
  const limits = { maxSockets: CROWD, maxConnections: CROWD };
  const log = { write: () => undefined };
  const { url } = await startServer({ ports, env: {}, version: "0.0.0", port: 0, log, limits });
  return Number(new URL(url).port);
}
