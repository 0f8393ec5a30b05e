import type {
  ActionFrame,
  ActionResultFrame,
  ApplyFrame,
  ErrorFrame,
  EventFrame,
  EventsSubscribeFrame,
  HistoryFrame,
  HostFrame,
  LogsFrame,
  LogsSubscribeFrame,
  MetricsFrame,
} from "./frames.generated.ts";

/**
 * `connecting`: no frame yet. `live`: frames are arriving. `stale`: no frame for a while, so the last one may be
 * outdated. `closed`: after {@link Client.close}.
 */
export type ConnectionState = "connecting" | "live" | "stale" | "closed";

export interface ClientOptions {
  /** The address of `svcm serve`, for example `http://127.0.0.1:3200`. */
  readonly url: string | URL;
  /**
   * The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN. It never becomes part of a URL. A function is called before each
   * attempt to connect; if it rejects, the attempt fails and is repeated later.
   */
  readonly token?: string | undefined | (() => Promise<string | undefined>);
  /** Required before Node 22, which has no global WebSocket: pass that of the package `ws`. */
  readonly WebSocket?: SocketConstructor | undefined;
  readonly onState?: ((state: ConnectionState) => void) | undefined;
  /**
   * Called after each failed attempt to connect.
   * @param reason only known with the package `ws`, because browsers do not report it
   */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** Called for each step of an apply or a rollback over HTTP while a watch is running. */
  readonly onApply?: ((step: ApplyFrame) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchOptions {
  readonly environment?: string | undefined;
  /** A service of the repository's `svcm.yaml`. By default, the apps of all services. */
  readonly service?: string | undefined;
  /** Milliseconds, from 500 to 2000. */
  readonly intervalMs?: number | undefined;
  readonly asyncContext?: boolean | undefined;
  /** If false, the recorded hour before the first metrics is left out. */
  readonly history?: boolean | undefined;
  /**
   * If true, the server sends less: the frames have only what changed, and are whole again in the iteration. An object that did not
   * change is the one of the frame before.
   */
  readonly changes?: boolean | undefined;
  /**
   * Another machine of the fleet, which the server polls every two seconds. The default is the machine of the server.
   */
  readonly node?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Selects the lines of logs. */
export type LogsOptions = Omit<LogsSubscribeFrame, "type" | "token" | "requestId"> & {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
};
export interface EventOptions extends Partial<Pick<EventsSubscribeFrame, "apps" | "cause">> {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** One event of a process, with its cause. */
export type SvcmEvent = EventFrame["event"];

/** The recorded hour, the metrics, or the host and the reason why PM2 cannot be read. */
export type WatchFrame = HistoryFrame | MetricsFrame | HostFrame | ErrorFrame;

export type Action = Omit<ActionFrame, "type" | "token" | "requestId">;
export type ActionResult = ActionResultFrame;

export interface Client {
  readonly state: ConnectionState;

  /**
   * Subscribes to metrics, and again after each reconnect. A slow reader gets the newest frame. Another call of `watch`
   * ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  watch(options?: WatchOptions): AsyncIterable<WatchFrame>;

  /**
   * Subscribes to log lines, and again after each reconnect: a frame with `begin` replaces the lines before it. Another
   * call of `logs` ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  logs(options?: LogsOptions): AsyncIterable<LogsFrame>;

  /**
   * Yields process events from now on, each a few seconds after it happened. Subscribes again after each reconnect;
   * `GET /api/events` has the events in between. Another call of `events` ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  events(options?: EventOptions): AsyncIterable<SvcmEvent>;

  /**
   * Acts on processes. A refusal is a result: `ok: false` with a code. Waits for a connection, and never sends an
   * action twice.
   * @throws {OutcomeUnknownError} if the connection is lost before the result arrives
   * @throws {ServiceError} if the action is malformed or the connection is refused
   */
  act(action: Action, options?: { readonly signal?: AbortSignal }): Promise<ActionResult>;

  close(): void;
}

/** The part of WebSocket that svcm uses, as in browsers, in Node 22 and later, and in the package `ws`. */
export interface SocketLike {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: unknown }) => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;
