import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A socket path has at most 107 bytes. PM2 truncates a longer one and then waits forever. */
const MAX_HOME_BYTES = 97;

export interface Pm2Home {
  readonly folder: string;
  readonly socket: string;
}

export function pm2Home(env: Readonly<Record<string, string | undefined>>, cwd: string): Pm2Home {
  const folder = resolve(cwd, env["PM2_HOME"] || join(env["HOME"] || homedir(), ".pm2"));
  return { folder, socket: join(folder, "rpc.sock") };
}

export function homeProblem({ folder }: Pm2Home): string | undefined {
  const bytes = Buffer.byteLength(folder);
  if (process.platform === "win32" || bytes <= MAX_HOME_BYTES) return undefined;
  return `The path of PM2_HOME has ${bytes} bytes, and a socket in it cannot be addressed. Accepted: at most ${MAX_HOME_BYTES} bytes.`;
}
