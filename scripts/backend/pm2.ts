/** The PM2 that `npm start` uses: a home of its own, so that a user's running PM2 is never touched. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./prepare.ts";

/** PM2 cuts the path of its socket at about a hundred bytes, so a deep checkout has its home elsewhere. */
export function pm2Home(): string {
  const home = join(ROOT, ".svcm", "pm2");
  if (Buffer.byteLength(home) < 80) return home;
  return join(tmpdir(), `svcm-${createHash("sha256").update(ROOT).digest("hex").slice(0, 12)}`);
}

/** Whether a daemon of that home may be running. */
export function hasDaemon(): boolean {
  return existsSync(join(pm2Home(), "rpc.sock"));
}

/** Runs PM2 and gives what it printed. The apps inherit this environment, so it holds nothing but the basics. */
export function pm2(...args: string[]): string {
  const { PATH, HOME, LANG, TZ } = process.env;
  return execFileSync(process.execPath, [join(ROOT, "node_modules/pm2/bin/pm2"), ...args], {
    cwd: ROOT,
    env: { PATH, HOME, LANG, TZ, PM2_HOME: pm2Home(), PM2_DISABLE_VERSION_CHECK: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** One process of PM2's list. */
export interface Process {
  readonly name: string;
  readonly pm2_env: { readonly status: string; readonly pm_err_log_path: string };
}

export function processes(): Process[] {
  return JSON.parse(pm2("jlist", "--silent")) as Process[];
}
