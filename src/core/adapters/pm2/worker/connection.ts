import { codeOf } from "../../../words/thrown.ts";
import { LinkFailure, unreachable } from "../failure.ts";
import type { Pm2 } from "./pm2-api.ts";

export interface Connection {
  /**
   * Sends a request to the daemon. If the connection is lost or the time is over, the request fails and is not repeated
   * on a later connection.
   * @throws {LinkFailure} PM2_CONNECTION_LOST, PM2_TIMEOUT, PM2_ACTION_FAILED
   */
  ask(method: string, argument: unknown, patienceMs: number): Promise<unknown>;
  readonly isLost: boolean;
  readonly lost: Promise<never>;
  retire(): void;
  close(): void;
}

/** Never starts a daemon. @throws {LinkFailure} */
export async function connect(pm2: Pm2, socket: string, patienceMs: number): Promise<Connection> {
  const { Client: client } = pm2;
  let refused = "ECONNREFUSED";
  const connected = new Promise<void>((resolve, reject) => {
    client.launchRPC((error) => (error ? reject(unreachable(codeOf(error), socket)) : resolve()));
    client.client_sock.once("close", () => reject(unreachable(refused, socket)));
  });
  const axon = client.client_sock;
  // Axon reconnects by itself and then sends queued requests, so an action would run late.
  axon.set("retry timeout", 0);
  axon.on("error", (error: Error) => void (refused = codeOf(error)));
  axon.on("ignored error", (error: Error) => void (refused = codeOf(error)));
  const connection = new ClientConnection(pm2, axon);
  try {
    await orTimeout(connected, patienceMs, "PM2 did not take the connection");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

type Refuse = (failure: LinkFailure) => void;

/** PM2's client knows one connection at a time, so each request first sets this one. */
class ClientConnection implements Connection {
  readonly lost: Promise<never>;
  isLost = false;
  readonly #client: Pm2["Client"];
  readonly #axon: Pm2["Client"]["client_sock"];
  readonly #rpc: unknown;
  readonly #pending = new Set<Refuse>();
  readonly #whenLost = new Set<Refuse>();
  readonly #answered: () => void;
  #isRetired = false;

  constructor({ Client: client }: Pm2, axon: Pm2["Client"]["client_sock"]) {
    this.#client = client;
    this.#axon = axon;
    this.#rpc = client.client;
    this.lost = new Promise<never>((_resolve, reject) => this.#whenLost.add(reject));
    this.lost.catch(() => undefined); // a caller without a question ignores it
    axon.once("close", () => this.#lose(ENDED));
    this.#answered = boundAnswers(axon, (failure) => this.#end(failure));
  }

  async ask(method: string, argument: unknown, patienceMs: number): Promise<unknown> {
    if (this.isLost) throw new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon has ended.");
    let refuse: Refuse | undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      refuse = reject;
      this.#pending.add(reject);
      this.#client.client = this.#rpc;
      this.#client.executeRemote(method, argument, (error, value) => {
        this.#answered();
        if (error) reject(new LinkFailure("PM2_ACTION_FAILED", wordsOf(error)));
        else resolve(value);
      });
    });
    try {
      return await orTimeout(answer, patienceMs, "PM2 did not answer");
    } finally {
      if (refuse !== undefined) this.#pending.delete(refuse);
      if (this.#isRetired) this.retire();
    }
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) this.close();
  }

  close(): void {
    this.#end(ENDED);
  }

  #end(why: LinkFailure): void {
    this.#lose(why);
    this.#axon.close();
  }

  #lose(why: LinkFailure): void {
    this.isLost = true;
    this.#axon.closing = true;
    this.#axon.queue = [];
    if (this.#client.client === this.#rpc) this.#client.client = null;
    for (const refuse of [...this.#whenLost, ...this.#pending]) refuse(why);
    this.#pending.clear();
  }
}

const ENDED = new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon ended before it answered.");
/** A list of ten thousand processes is 40 MB. */
const MOST_BYTES = 64 * 2 ** 20;

/** PM2's parser collects input until an answer is complete, so too much of it ends the connection. */
function boundAnswers(axon: Pm2["Client"]["client_sock"], onTooLarge: (failure: LinkFailure) => void): () => void {
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.byteLength;
    if (bytes <= MOST_BYTES) return;
    const details = `The process at PM2's socket sent more than ${MOST_BYTES / 2 ** 20} MiB as one answer.`;
    onTooLarge(new LinkFailure("PM2_ANSWER_TOO_LARGE", details));
  };
  axon.once("connect", () => {
    for (const socket of axon.socks) socket.on("data", count);
  });
  return () => void (bytes = 0);
}

export async function orTimeout<T>(answer: Promise<T>, patienceMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const failure = new LinkFailure("PM2_TIMEOUT", `${what} within ${Math.ceil(patienceMs)} ms.`);
    timer = setTimeout(() => reject(failure), patienceMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST_WORDS = 400;

export function wordsOf(error: unknown): string {
  if (Array.isArray(error)) return error.map(wordsOf).join("; ").slice(0, LONGEST_WORDS);
  const words = error instanceof Error ? error.message : typeof error === "string" ? error : "PM2 gave no reason";
  return (words.split("\n")[0] ?? "").slice(0, LONGEST_WORDS);
}
