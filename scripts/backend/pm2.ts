/** The PM2 of `npm start` has its own home, so a user's running PM2 is never touched. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./prepare.ts";

/** A socket path has at most 107 bytes, and the longest that PM2 adds to its home is `/interactor.sock`. */
const MAX_HOME_BYTES = 91;

/** Outside the checkout if that path is too long for a socket. */
export function pm2Home(root = ROOT): string {
  const home = join(root, ".svcm", "pm2");
  if (Buffer.byteLength(home) <= MAX_HOME_BYTES) return home;
  return join(homedir(), ".svcm", `pm2-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`);
}

export function hasDaemon(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(pm2Home(), "rpc.sock"));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

export async function endPm2(): Promise<void> {
  if (await hasDaemon()) pm2("kill", "--silent");
  rmSync(pm2Home(), { recursive: true, force: true });
}

/** The apps inherit this environment, so it contains only the basics. */
export function pm2(...args: string[]): string {
  const { PATH, HOME, LANG, TZ } = process.env;
  return execFileSync(process.execPath, [join(ROOT, "node_modules/pm2/bin/pm2"), ...args], {
    cwd: ROOT,
    env: { PATH, HOME, LANG, TZ, PM2_HOME: pm2Home(), PM2_DISABLE_VERSION_CHECK: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export interface Process {
  readonly name: string;
  readonly pm2_env: { readonly status: string; readonly pm_err_log_path: string };
}

export function processes(): Process[] {
  return JSON.parse(pm2("jlist", "--silent")) as Process[];
}
