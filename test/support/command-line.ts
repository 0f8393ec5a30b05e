import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const REPOSITORY = join(import.meta.dirname, "../..");
export const RUN = join(REPOSITORY, "bin/run.js");

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly cwd?: string;
  /** Added to an environment that sets no colours, debugger or continuous integration. */
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

/** Runs the built command line until it ends, as a user would, without a terminal. */
export function svcm(argv: readonly string[], { cwd = REPOSITORY, env = {}, run = RUN }: Options = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, ...argv], {
    cwd,
    env: plainEnvironment(env),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** All tests share this cache of compiled code: in a home that is also a repository it would be an additional file. */
const CACHE = join(tmpdir(), "svcm-test-cache");

export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: process.env["HOME"], XDG_CACHE_HOME: CACHE, ...more };
}
