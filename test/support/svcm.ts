import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { plainEnvironment, REPOSITORY, RUN, type Outcome } from "./command-line.ts";
import { runInProcess } from "./in-process.ts";

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the built command line in a repository, with a clean environment, until it ends. */
export async function svcm(args: readonly string[], options: RunOptions): Promise<RunResult> {
  if (needsProgram(args)) return await svcmProgram(args, options);
  return await runInProcess(args, { root: options.root, env: environment(options) });
}

/** As `svcm` of `command-line.ts`, in this process where that is possible. */
export async function quickSvcm(
  args: readonly string[],
  { cwd = REPOSITORY, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  const { code: status, ...output } = await svcm(args, { root: cwd, env: { HOME: process.env["HOME"] ?? "", ...env } });
  return { status, ...output };
}

/** Help and version are answered before the command line is loaded; `env run` hands its streams to another program. */
function needsProgram(args: readonly string[]): boolean {
  return args.length < 2 || args.includes("--help") || args.includes("-h") || args.slice(0, 2).join(" ") === "env run";
}

/** As a separate process, which can be killed and has its own exit code. */
export async function svcmProgram(args: readonly string[], options: RunOptions): Promise<RunResult> {
  const child = launch(args, options);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, stdout: stdout(), stderr: stderr() };
}

export interface ServeProcess {
  readonly url: string;
  readonly pid: number;
  /** Returns its log, the standard error, so far. */
  readonly log: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts `svcm serve` on a free port for one test; resolves with its ready line. */
export async function serve(options: RunOptions, ...flags: string[]): Promise<ServeProcess> {
  const child = launch(["serve", "--port", "0", ...flags], options);
  onTestFinished(() => void child.kill("SIGKILL"));
  const log = collect(child.stderr);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const match = /^Service Management listening on (http:\S+)$/.exec(line);
      if (match?.[1]) resolve(match[1]);
    });
    void ended.then((code) => reject(new Error(`svcm serve ended with ${code}: ${log()}`)));
  });
  const stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return { url, pid: child.pid ?? 0, log, stop };
}

function environment({ root, env = {} }: RunOptions): NodeJS.ProcessEnv {
  return plainEnvironment({ HOME: root, ...env });
}

function launch(args: readonly string[], options: RunOptions): ChildProcess {
  return spawn(process.execPath, [RUN, ...args], {
    cwd: options.root,
    env: environment(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}
