/** Messages of the protocol as bytes, for programs that do not keep to it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { plainEnvironment, RUN } from "./command-line.ts";

export interface Answered {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RawProgram {
  /** Sends text as it is. Resolves with what answers its requests, except for those with the ids `without`. */
  send(text: string, without?: readonly unknown[]): Promise<readonly Answered[]>;
  /** Every byte that came, also on standard error. */
  received(): string;
  /** Each line that was not a message of the protocol. */
  readonly noise: readonly string[];
}

/** After the answers of all requests, that of a `ping` shows that nothing more comes. */
export async function rawStdio(
  root: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RawProgram & { readonly ended: Promise<number | null>; end(): Promise<number | null> }> {
  const child = spawn(process.execPath, [RUN, "mcp", ...flags], {
    cwd: root,
    env: plainEnvironment({ HOME: root, ...env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.on("error", () => undefined);
  let received = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (received += String(chunk)));
  const [noise, waiting, seen]: [string[], ((line: Answered) => void)[], Answered[]] = [[], [], []];
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const message = JSON.parse(line) as Answered;
      seen.push(message);
      for (const look of waiting) look(message);
    } catch {
      noise.push(line);
    }
  });
  let pings = 0;
  return {
    noise,
    received: () => received,
    end: () => (child.stdin.end(), ended),
    ended,
    async send(text, without = []) {
      const first = seen.length;
      const missing = new Set(idsIn(text).filter((id) => !without.includes(id)));
      const last = `end-${(pings += 1)}`;
      const answered = new Promise<void>((resolve, reject) => {
        missing.add(last);
        waiting.push(({ id }) => missing.delete(id) && missing.size === 0 && resolve());
        void ended.then(() => reject(new Error("svcm mcp ended")));
      });
      child.stdin.write(`${text}\n${JSON.stringify({ jsonrpc: "2.0", id: last, method: "ping" })}\n`);
      await answered;
      return seen.slice(first).filter(({ id }) => id !== last);
    },
  };
}

export function rawHttp(url: string, headers: Readonly<Record<string, string>> = {}): RawProgram {
  let received = "";
  return {
    noise: [],
    received: () => received,
    async send(body) {
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      });
      const text = await response.text();
      received += JSON.stringify([...response.headers]) + text;
      const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data);
      return (events.length > 0 ? events : text === "" ? [] : [text]).flatMap((one) => JSON.parse(one) as Answered);
    },
  };
}

/** Of the requests that have a valid one. */
function idsIn(text: string): unknown[] {
  return text.split("\n").flatMap((line) => {
    try {
      const { jsonrpc, id, method, params } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      const isRequest = jsonrpc === "2.0" && typeof method === "string" && !Array.isArray(params);
      return isRequest && (typeof id === "string" || Number.isInteger(id)) ? [id] : [];
    } catch {
      return [];
    }
  });
}
