import { dirname } from "node:path";
import type { Scrub } from "../../scrub.ts";
import { REDACTED } from "../../../secrets/redact.ts";
import { errorText, LinkFailure, suspendedFailure } from "../failure.ts";
import { digestWith } from "../key.ts";
import { daemonChildren, suspendedDaemon, unlistedPids } from "../proc.ts";
import type { Answer, ReadCall, WorkerData } from "../protocol.ts";
import { connect, type Connection, listAllProcesses, listProcesses } from "./connection.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { publishRecords, scrubForEnvironments } from "./process-record.ts";

export type ReaderOptions = Pick<WorkerData, "socket" | "salt" | "timeoutMs">;

/** Asks PM2's daemon without PM2's code: in the worker of a server, or in the thread of a command. */
export class Pm2Reader {
  readonly #options: ReaderOptions;
  #current: Promise<Connection> | undefined;
  /** Until the first list arrives, no secret is known. */
  #scrub: Scrub = () => REDACTED;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** @throws {LinkFailure} */
  async answer(call: ReadCall): Promise<Answer> {
    if (call.method === "scrub") return { texts: call.texts.map((text) => this.#scrub(text)) };
    return this.withConnection(async (connection, restMs) => {
      if (call.method === "list") {
        const processes = await listProcesses(connection, restMs);
        this.#scrub = scrubForEnvironments(processes);
        return { processes: this.publish(processes, call.salt) };
      }
      const home = dirname(this.#options.socket);
      const children = daemonChildren(home);
      return { pids: unlistedPids(home, children, await listAllProcesses(connection, restMs)) };
    });
  }

  publish(processes: readonly Pm2Process[], salt = this.#options.salt): ReturnType<typeof publishRecords> {
    return publishRecords(processes, this.#scrub, (value) => digestWith(salt, value));
  }

  /**
   * A request that timed out would hold up later ones, so its connection takes no more.
   * @param work gets the milliseconds that remain
   */
  async withConnection<T>(work: (connection: Connection, restMs: number) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    const deadlineMs = performance.now() + timeoutMs;
    const opened = (this.#current ??= this.#open());
    const connection = await opened;
    try {
      return await work(connection, Math.max(1, deadlineMs - performance.now()));
    } catch (error) {
      if (error instanceof LinkFailure && error.code === "PM2_TIMEOUT") {
        if (this.#current === opened) this.#current = undefined;
        connection.retire();
        const pid = suspendedDaemon(dirname(this.#options.socket));
        if (pid !== undefined) throw suspendedFailure(pid);
      }
      throw error instanceof LinkFailure ? error : new LinkFailure("PM2_FAILED", errorText(error));
    }
  }

  /** Pending calls fail, and the next call opens a connection again. */
  async close(): Promise<void> {
    const opened = this.#current;
    this.#current = undefined;
    (await opened?.catch(() => undefined))?.close();
  }

  #open(): Promise<Connection> {
    const { socket, timeoutMs } = this.#options;
    const opened = connect(socket, timeoutMs);
    const forget = (): void => {
      if (this.#current === opened) this.#current = undefined;
    };
    opened.then(({ lost }) => lost.catch(forget)).catch(forget);
    return opened;
  }
}
