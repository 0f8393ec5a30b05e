/**
 * Runs the built command line in this process. A separate program takes a quarter of a second of processor time, and
 * hundreds of tests ask only for the answer of a command.
 */
import fs, { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { REPOSITORY } from "./command-line.ts";
import type { StartOptions } from "../../src/cli/start.ts";

export interface InProcessOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface InProcessResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const DIST = join(REPOSITORY, "dist");
const STREAMS = { 1: "stdout", 2: "stderr" } as const;
let former: Promise<unknown> = Promise.resolve();

/** One after the other, because a command uses the folder and the environment of its process. */
export function runInProcess(argv: readonly string[], options: InProcessOptions): Promise<InProcessResult> {
  const run = former.then(() => runAlone(argv, options));
  former = run.catch(() => undefined);
  return run;
}

async function runAlone(argv: readonly string[], { root, env }: InProcessOptions): Promise<InProcessResult> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const putBack = [enter(root, env, argv), redirect(output), keepListeners()];
  try {
    await startOf()({ argv: [...argv], dist: DIST, load: (chunk) => builtRequire(`${DIST}/${chunk}`) });
    return {
      code: Number(process.exitCode ?? 0),
      stdout: Buffer.concat(output.stdout).toString("utf8"),
      stderr: Buffer.concat(output.stderr).toString("utf8"),
    };
  } finally {
    for (const restore of putBack) restore();
  }
}

const builtRequire = createRequire(import.meta.url);

function startOf(): (options: StartOptions) => Promise<void> {
  return (builtRequire(`${DIST}/start.cjs`) as { start: (options: StartOptions) => Promise<void> }).start;
}

/** The variables themselves, because Node reads `HOME` and `TZ` from them and not from the object. */
function enter(root: string, env: NodeJS.ProcessEnv, argv: readonly string[]): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, argv: process.argv, exitCode: process.exitCode };
  const setEnvironment = (next: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) if (!(name in next)) delete process.env[name];
    for (const [name, value] of Object.entries(next)) if (value !== undefined) process.env[name] = value;
  };
  process.chdir(root);
  setEnvironment(env);
  process.argv = [process.execPath, join(REPOSITORY, "bin/run.js"), ...argv];
  process.exitCode = undefined;
  return () => {
    process.chdir(existsSync(before.cwd) ? before.cwd : REPOSITORY);
    setEnvironment(before.env);
    process.argv = before.argv;
    process.exitCode = before.exitCode;
  };
}

/** svcm writes to the descriptors; oclif writes help to the console. */
function redirect(output: Record<"stdout" | "stderr", Buffer[]>): () => void {
  const { writeSync } = fs;
  const keep = (to: "stdout" | "stderr", data: unknown): void =>
    void output[to].push(Buffer.from(data as Uint8Array | string));
  const replaced = (fd: number, data: NodeJS.ArrayBufferView | string, ...rest: []): number => {
    const to = STREAMS[fd as keyof typeof STREAMS];
    if (to === undefined) return writeSync(fd, data as string, ...rest);
    keep(to, data);
    return Buffer.byteLength(data);
  };
  fs.writeSync = replaced;
  const { log, error, warn } = console;
  console.log = (...words) => keep("stdout", `${words.join(" ")}\n`);
  console.error = console.warn = (...words) => keep("stderr", `${words.join(" ")}\n`);
  return () => {
    fs.writeSync = writeSync;
    Object.assign(console, { log, error, warn });
  };
}

/** A run listens for signals and for uncaught exceptions. */
function keepListeners(): () => void {
  const before = process.eventNames().map((name) => [name, process.rawListeners(name as "exit")] as const);
  const known = new Map<string | symbol, readonly unknown[]>(before);
  return () => {
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!known.get(name)?.includes(listener)) process.off(name, listener as () => void);
  };
}
