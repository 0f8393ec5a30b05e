/** Starts a built entrypoint of the reference backend as a process, for one test or file. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const DIST = join(import.meta.dirname, "../dist/interface");

export const entrypoints = {
  rest: join(DIST, "HTTP/start-rest-api.js"),
  websocket: join(DIST, "WebSocket/start-websocket-api.js"),
  grpc: join(DIST, "gRPC/start-grpc-api.js"),
};

export type EntrypointKind = keyof typeof entrypoints;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Entrypoint {
  readonly pid: number;
  readonly url: string;
  output(): string;
  /** Resolves when the output matches. */
  printed(matches: (output: string) => boolean): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Settings of the machine do not apply. Every driver is an embedded one unless `env` sets another. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    SVC_KEYVALUESTORAGE_DRIVER: "inmemory",
    SVC_REALTIME_DATABASE_URL: "memory:",
    SVC_HTTP_PORT: "0",
    SVC_GRPC_PORT: "0",
    ...env,
  };
}

/** Starts an entrypoint without waiting for it. */
export function spawnEntrypoint(kind: EntrypointKind, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [entrypoints[kind]], {
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, output, ended };
}

/** Runs an entrypoint that is expected to exit during its start. */
export function runToEnd(kind: EntrypointKind, env: Readonly<Record<string, string>>): Promise<Ended> {
  return spawnEntrypoint(kind, env).ended;
}

/** @throws with the output if the process exits instead of listening */
export async function startEntrypoint(
  kind: EntrypointKind,
  env: Readonly<Record<string, string>> = {},
): Promise<Entrypoint & AsyncDisposable> {
  const { child, output, ended } = spawnEntrypoint(kind, env);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const listening = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output.stdout);
      if (listening?.[1]) resolve(listening[1]);
    });
    void ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  return {
    pid: child.pid ?? 0,
    url,
    output: () => output.stdout + output.stderr,
    printed: (matches) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!matches(output.stdout + output.stderr)) return;
          child.stdout.removeListener("data", check);
          resolve();
        };
        child.stdout.on("data", check);
        check();
      }),
    signal: (name) => void child.kill(name),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
