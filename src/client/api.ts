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
import type { SocketConstructor } from "./socket.ts";

/**
 * `connecting`: no frame yet. `live`: frames arrive. `stale`: none for a while, so the last one may be old. `closed`:
 * by {@link Client.close}.
 */
export type ConnectionState = "connecting" | "live" | "stale" | "closed";

export interface ClientOptions {
  /** The address of `svcm serve`, for example `http://127.0.0.1:3200`. */
  readonly url: string | URL;
  /**
   * The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN. It is never part of a URL. A function is called before each attempt
   * to connect; if it rejects, the attempt fails and another one follows.
   */
  readonly token?: string | undefined | (() => Promise<string | undefined>);
  /** Required before Node 22, which has no global one: that of the package `ws`. */
  readonly WebSocket?: SocketConstructor | undefined;
  readonly onState?: ((state: ConnectionState) => void) | undefined;
  /**
   * Called after each failed attempt to connect.
   * @param reason present with the package `ws`; a browser does not report it
   */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** Called for each step of an apply or a rollback over HTTP, while a watch runs. */
  readonly onApply?: ((step: ApplyFrame) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchOptions {
  readonly environment?: string | undefined;
  /** A service of the repository's `svcm.yaml`. By default, the apps of all services. */
  readonly service?: string | undefined;
  /** Milliseconds, 500 to 2000. */
  readonly intervalMs?: number | undefined;
  readonly asyncContext?: boolean | undefined;
  /** False leaves out the recorded hour before the first metrics. */
  readonly history?: boolean | undefined;
  /** Another machine of the fleet, which is asked every two seconds. By default, that of the server. */
  readonly node?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Chooses the lines of logs. */
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

/** The recorded hour, metrics, or the host and the reason why PM2 cannot be read. */
export type WatchFrame = HistoryFrame | MetricsFrame | HostFrame | ErrorFrame;

export type Action = Omit<ActionFrame, "type" | "token" | "requestId">;
export type ActionResult = ActionResultFrame;

export interface Client {
  readonly state: ConnectionState;

  /**
   * Subscribes, and again after each reconnect. A slow reader gets the newest frame. A further watch ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  watch(options?: WatchOptions): AsyncIterable<WatchFrame>;

  /**
   * Subscribes to the lines of logs, and again after each reconnect: a frame with `begin` replaces the lines before it. A
   * further call ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  logs(options?: LogsOptions): AsyncIterable<LogsFrame>;

  /**
   * Events of the processes from now on, each a few seconds after it happened. Subscribes again after each reconnect;
   * `GET /api/events` has what happened in between. A further call ends this one.
   * @throws {ServiceError} if the service refuses the subscription or the connection
   */
  events(options?: EventOptions): AsyncIterable<SvcmEvent>;

  /**
   * Acts on processes. A refusal is a result: `ok: false` with its code. It waits for a connection, and is never sent
   * twice.
   * @throws {OutcomeUnknownError} if the connection is lost before the result arrives
   * @throws {ServiceError} if the action is malformed, or the connection is refused
   */
  act(action: Action, options?: { readonly signal?: AbortSignal }): Promise<ActionResult>;

  close(): void;
}
