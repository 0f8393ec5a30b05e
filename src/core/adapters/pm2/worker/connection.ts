import { LinkFailure, unreachable } from "../failure.ts";
import type { Pm2 } from "./pm2-api.ts";

export interface Connection {
  /**
   * Asks the daemon. What was asked and got no answer is refused when the connection is lost or
   * patience ends; nothing is kept for a later connection.
   *
   * @throws {LinkFailure} PM2_CONNECTION_LOST, PM2_TIMEOUT, PM2_ACTION_FAILED
   */
  ask(method: string, argument: unknown, patienceMs: number): Promise<unknown>;
  readonly isLost: boolean;
  /** Rejects when the connection is lost; never resolves. */
  readonly lost: Promise<never>;
  close(): void;
}

/** Connects to a daemon that runs; starts none. @throws {LinkFailure} */
export async function connect(pm2: Pm2, socket: string, patienceMs: number): Promise<Connection> {
  const { Client: client } = pm2;
  let refused = "ECONNREFUSED";
  const connected = new Promise<void>((resolve, reject) => {
    client.launchRPC((error) => (error ? reject(unreachable(codeOf(error), socket)) : resolve()));
    client.client_sock.once("close", () => reject(unreachable(refused, socket)));
  });
  const axon = client.client_sock;
  // Axon connects again by itself and then sends what was asked meanwhile: an action would run late.
  axon.set("retry timeout", 0);
  axon.on("error", (error: Error) => void (refused = codeOf(error)));
  axon.on("ignored error", (error: Error) => void (refused = codeOf(error)));
  const connection = overClient(pm2, axon);
  try {
    await orTimeout(connected, patienceMs, "PM2 did not take the connection");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function overClient({ Client: client }: Pm2, axon: Pm2["Client"]["client_sock"]): Connection {
  const pending = new Set<(failure: LinkFailure) => void>();
  let isLost = false;
  const lost = new Promise<never>((_resolve, reject) => pending.add(reject));
  lost.catch(() => undefined); // who waits for nothing need not hear of it
  const lose = (): void => {
    isLost = true;
    axon.closing = true;
    axon.queue = [];
    if (client.client_sock === axon) client.client = null;
    for (const reject of pending)
      reject(new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon ended before it answered."));
    pending.clear();
  };
  axon.once("close", lose);
  return {
    get isLost() {
      return isLost;
    },
    lost,
    ask(method, argument, patienceMs) {
      if (isLost) return Promise.reject(new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon has ended."));
      const answer = new Promise<unknown>((resolve, reject) => {
        pending.add(reject);
        client.executeRemote(method, argument, (error, value) => {
          pending.delete(reject);
          if (error) reject(new LinkFailure("PM2_ACTION_FAILED", wordsOf(error)));
          else resolve(value);
        });
      });
      return orTimeout(answer, patienceMs, "PM2 did not answer");
    },
    close() {
      axon.close();
      lose();
    },
  };
}

/** @throws {LinkFailure} PM2_TIMEOUT */
export async function orTimeout<T>(answer: Promise<T>, patienceMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const failure = new LinkFailure("PM2_TIMEOUT", `${what} within ${patienceMs} ms.`);
    timer = setTimeout(() => reject(failure), patienceMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST_WORDS = 400;

/** PM2's own words: an error, a text, or a list of them. */
export function wordsOf(error: unknown): string {
  if (Array.isArray(error)) return error.map(wordsOf).join("; ").slice(0, LONGEST_WORDS);
  const words = error instanceof Error ? error.message : typeof error === "string" ? error : "PM2 gave no reason";
  return (words.split("\n")[0] ?? "").slice(0, LONGEST_WORDS);
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";
}
