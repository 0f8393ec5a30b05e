import type { Client, ConnectionState, LogsFrame, LogsOptions } from "../../../client/index.ts";
import { isUnauthorized } from "../monitoring/refusal.ts";

export interface LogStreamsOptions {
  readonly connect: (onState: (state: ConnectionState) => void) => Client;
  /** False as soon as no view needs the streams. */
  readonly mayFollow: () => boolean;
  readonly demandToken: () => Promise<boolean>;
}

/** The followed logs. Each has its own connection, because a connection carries one. */
export class LogStreams {
  readonly #options: LogStreamsOptions;
  readonly #clients = new Set<Client>();

  constructor(options: LogStreamsOptions) {
    this.#options = options;
  }

  /** Opens the connection of each log that is still followed again. */
  renew(): void {
    for (const client of this.#clients) client.close();
  }

  /** Ends when it is aborted, or when no view needs it. */
  async *follow(
    options: LogsOptions & { readonly signal: AbortSignal },
    onState: (state: ConnectionState) => void,
  ): AsyncGenerator<LogsFrame> {
    const { connect, mayFollow, demandToken } = this.#options;
    while (!options.signal.aborted && mayFollow()) {
      const client = connect(onState);
      this.#clients.add(client);
      try {
        yield* client.logs(options);
      } catch (error) {
        if (!isUnauthorized(error) || !(await demandToken())) throw error;
      } finally {
        this.#clients.delete(client);
        client.close();
      }
    }
  }
}
