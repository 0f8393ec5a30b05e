import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { BUILT_CHILDREN } from "./build-once.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Returns the command line of the built `test/support/children/<name>.ts`. */
export function commandLine(name: string, ...args: string[]): string[] {
  return [process.execPath, join(BUILT_CHILDREN, `${name}.mjs`), ...args];
}

export interface Child {
  readonly pid: number;
  /** The next line of output, or undefined when the program has ended. */
  line(): Promise<string | undefined>;
  /** All remaining lines of output. */
  rest(): Promise<string[]>;
  send(line: string): void;
  kill(): void;
  /** Resolves when the program has ended and its output is complete. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Starts a program for one test. Its standard error is shown with that of the test. */
export function start(argv: readonly string[], env: Record<string, string> = {}): Child {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined); // it may be killed at any time
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value as string | undefined;
  return {
    pid: child.pid ?? 0,
    line,
    rest: async () => {
      const all: string[] = [];
      for (let next = await line(); next !== undefined; next = await line()) all.push(next);
      return all;
    },
    send: (text) => child.stdin.write(`${text}\n`),
    kill: () => child.kill("SIGKILL"),
    ended,
  };
}

/** Runs a program until it ends, and returns the lines of its output. */
export async function run(argv: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const child = start(argv, env);
  const lines = await child.rest();
  await child.ended;
  return lines;
}
