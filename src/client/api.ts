/** What `svcm/client` offers. */
import type { ActionFrame, ActionResultFrame, ErrorFrame, HostFrame, MetricsFrame } from "./frames.generated.ts";
import type { SocketConstructor } from "./socket.ts";

/**
 * `connecting`: there is no connection, or nothing came over it yet. `live`: frames come.
 * `stale`: none came for a while; what is shown may be old. `closed`: by {@link Client.close}.
 */
export type ConnectionState = "connecting" | "live" | "stale" | "closed";

export interface ClientOptions {
  /** Where `svcm serve` listens, for example `http://127.0.0.1:3200`. */
  readonly url: string | URL;
  /**
   * The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN there. It is never part of a URL. A function is asked before each
   * attempt to connect; if it rejects, the attempt has failed and another one follows.
   */
  readonly token?: string | undefined | (() => Promise<string | undefined>);
  /** Needed where there is no global one, before Node 22: that of the package `ws`. */
  readonly WebSocket?: SocketConstructor | undefined;
  readonly onState?: ((state: ConnectionState) => void) | undefined;
  /**
   * Called each time that a connection could not be made, before the next attempt.
   *
   * @param reason as far as the WebSocket says: that of `ws` does, that of a browser does not
   */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** Closes the client. */
  readonly signal?: AbortSignal | undefined;
}

export interface WatchOptions {
  readonly environment?: string | undefined;
  /** 500 to 2000, in milliseconds. */
  readonly intervalMs?: number | undefined;
  readonly asyncContext?: boolean | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** What a watcher gets: metrics, or the host alone beside why PM2 cannot be read. */
export type WatchFrame = MetricsFrame | HostFrame | ErrorFrame;

export type Action = Omit<ActionFrame, "type" | "token" | "requestId">;
export type ActionResult = ActionResultFrame;

export interface Client {
  readonly state: ConnectionState;

  /**
   * Subscribes, and again after each reconnect. A slow reader gets the newest. One watch at a time: a
   * further one ends this one.
   *
   * @throws {ServiceError} where the service refuses the subscription or the connection.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchFrame>;

  /**
   * Acts on processes. A refusal of the service is a result, `ok: false` with its code. It waits for
   * a connection, and is never sent twice.
   *
   * @throws {OutcomeUnknownError} where the connection is lost before the result comes.
   * @throws {ServiceError} where the action is malformed, or the connection is refused.
   */
  act(action: Action, options?: { readonly signal?: AbortSignal }): Promise<ActionResult>;

  /** Ends the watch and the connection. */
  close(): void;
}
