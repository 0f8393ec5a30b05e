import { createConnection, type Socket } from "node:net";
import { errorCode } from "../../../words/thrown.ts";
import { DAEMON_ENDED, errorText, LinkFailure, unreachableError } from "../failure.ts";
import { AnswerReader, AnswerTooLargeError, encodeRequest, MAX_ANSWER_BYTES } from "../daemon.ts";
import type { Pm2Process } from "./pm2-api.ts";

export interface Connection {
  /**
   * A request that failed is never sent again.
   * @throws {LinkFailure} PM2_CONNECTION_LOST, PM2_TIMEOUT, PM2_ACTION_FAILED
   */
  call(method: string, args: readonly unknown[], waitMs: number): Promise<unknown>;
  readonly lost: Promise<never>;
  retire(): void;
  close(): void;
}

/** Never starts a daemon. @throws {LinkFailure} */
export async function connect(path: string, waitMs: number): Promise<Connection> {
  const socket = createConnection(path);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error) => reject(unreachableError(errorCode(error), path)));
  });
  try {
    await withTimeout(connected, waitMs, "PM2 did not accept the connection");
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
  #lose: (reason: LinkFailure) => void = () => undefined;
  #lastId = 0;
  #isRetired = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.lost = new Promise<never>((_resolve, reject) => (this.#lose = reject));
    this.lost.catch(() => undefined); // ignored if no request is pending
    socket.on("error", () => this.#end(DAEMON_ENDED));
    socket.on("close", () => this.#end(DAEMON_ENDED));
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.unref();
  }

  async call(method: string, args: readonly unknown[], waitMs: number): Promise<unknown> {
    if (this.#isLost) throw new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon has ended.");
    this.#socket.ref();
    const id = String((this.#lastId += 1));
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.write(encodeRequest(id, method, args));
    });
    try {
      return await withTimeout(answer, waitMs, "PM2 did not answer");
    } finally {
      this.#pending.delete(id);
      // A connection without a request keeps no command running.
      if (this.#pending.size === 0) this.#socket.unref();
      if (this.#isRetired) this.retire();
    }
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) this.close();
  }

  close(): void {
    this.#end(DAEMON_ENDED);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const { id, value, error } of this.#reader.add(chunk)) {
        if (error === undefined) this.#pending.get(id)?.resolve(value);
        else this.#pending.get(id)?.reject(new LinkFailure("PM2_ACTION_FAILED", errorText(error)));
      }
    } catch (error) {
      this.#end(error instanceof AnswerTooLargeError ? TOO_LARGE : MALFORMED);
    }
  }

  #end(reason: LinkFailure): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#socket.destroy();
    this.#lose(reason);
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }
}

export async function listProcesses(connection: Connection, timeoutMs: number): Promise<Pm2Process[]> {
  return (await listAllProcesses(connection, timeoutMs)).filter((one) => !isModule(one));
}

export function isModule({ pm2_env }: Pm2Process): boolean {
  return Boolean(pm2_env["pmx_module"]);
}

export async function listAllProcesses(connection: Connection, timeoutMs: number): Promise<Pm2Process[]> {
  return (await connection.call("getMonitorData", [{}], timeoutMs)) as Pm2Process[];
}

const MALFORMED = new LinkFailure(
  "PM2_CONNECTION_LOST",
  "The process at PM2's socket sent something that is not an answer of PM2.",
);
const TOO_LARGE = new LinkFailure(
  "PM2_ANSWER_TOO_LARGE",
  `The process at PM2's socket sent more than ${MAX_ANSWER_BYTES / 2 ** 20} MiB as one answer.`,
);

export async function withTimeout<T>(answer: Promise<T>, waitMs: number, action: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const failure = new LinkFailure("PM2_TIMEOUT", `${action} within ${durationText(waitMs)}.`);
    timer = setTimeout(() => reject(failure), waitMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** In whole seconds: the part of a time-out that remains for one call is a little less. */
function durationText(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.round(ms / 1000)} s`;
}
