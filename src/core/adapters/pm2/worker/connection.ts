import { createConnection, type Socket } from "node:net";
import { errorCode } from "../../../words/thrown.ts";
import { LinkFailure, unreachable, wordsOf } from "../failure.ts";
import { AnswerReader, MOST_ANSWER_BYTES, requestOf, TooLargeAnswer } from "../message.ts";
import type { Pm2Process } from "./pm2-api.ts";

export interface Connection {
  /**
   * A request that failed is never sent again.
   * @throws {LinkFailure} PM2_CONNECTION_LOST, PM2_TIMEOUT, PM2_ACTION_FAILED
   */
  ask(method: string, args: readonly unknown[], patienceMs: number): Promise<unknown>;
  readonly lost: Promise<never>;
  retire(): void;
  close(): void;
}

/** Never starts a daemon. @throws {LinkFailure} */
export async function connect(path: string, patienceMs: number): Promise<Connection> {
  const socket = createConnection(path);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error) => reject(unreachable(errorCode(error), path)));
  });
  try {
    await orTimeout(connected, patienceMs, "PM2 did not accept the connection");
    return new SocketConnection(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: LinkFailure) => void;
}

class SocketConnection implements Connection {
  readonly lost: Promise<never>;
  #isLost = false;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  readonly #pending = new Map<string, Pending>();
  #lose: (why: LinkFailure) => void = () => undefined;
  #ids = 0;
  #isRetired = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.lost = new Promise<never>((_resolve, reject) => (this.#lose = reject));
    this.lost.catch(() => undefined); // ignored if no request is pending
    socket.on("error", () => this.#end(ENDED));
    socket.on("close", () => this.#end(ENDED));
    socket.on("data", (piece) => this.#hear(piece));
  }

  async ask(method: string, args: readonly unknown[], patienceMs: number): Promise<unknown> {
    if (this.#isLost) throw new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon has ended.");
    const id = String((this.#ids += 1));
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.write(requestOf(id, method, args));
    });
    try {
      return await orTimeout(answer, patienceMs, "PM2 did not answer");
    } finally {
      this.#pending.delete(id);
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

  #hear(piece: Buffer): void {
    try {
      for (const { id, value, error } of this.#reader.add(piece)) {
        if (error === undefined) this.#pending.get(id)?.resolve(value);
        else this.#pending.get(id)?.reject(new LinkFailure("PM2_ACTION_FAILED", wordsOf(error)));
      }
    } catch (error) {
      this.#end(error instanceof TooLargeAnswer ? TOO_LARGE : SENSELESS);
    }
  }

  #end(why: LinkFailure): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#socket.destroy();
    this.#lose(why);
    for (const { reject } of this.#pending.values()) reject(why);
    this.#pending.clear();
  }
}

export async function listProcesses(connection: Connection, timeoutMs: number): Promise<Pm2Process[]> {
  return (await listWithModules(connection, timeoutMs)).filter(({ pm2_env }) => !pm2_env["pmx_module"]);
}

export async function listWithModules(connection: Connection, timeoutMs: number): Promise<Pm2Process[]> {
  return (await connection.ask("getMonitorData", [{}], timeoutMs)) as Pm2Process[];
}

const ENDED = new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon ended before it answered.");
const SENSELESS = new LinkFailure(
  "PM2_CONNECTION_LOST",
  "The process at PM2's socket sent something that is not an answer of PM2.",
);
const TOO_LARGE = new LinkFailure(
  "PM2_ANSWER_TOO_LARGE",
  `The process at PM2's socket sent more than ${MOST_ANSWER_BYTES / 2 ** 20} MiB as one answer.`,
);

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
