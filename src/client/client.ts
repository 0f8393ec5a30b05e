import { interval } from "../core/api/channel.ts";
import { addressOf, Connection, socketConstructor, OutcomeUnknownError, ServiceError } from "./connection.ts";
import type {
  Action,
  ActionResult,
  Client,
  ClientOptions,
  ConnectionState,
  EventOptions,
  LogsOptions,
  SvcmEvent,
  WatchFrame,
  WatchOptions,
} from "./api.ts";
import type { ActionFrame, ErrorFrame, LogsFrame, ServerFrame } from "./frames.generated.ts";
import { joinChanges, latest, type Latest, LOG_OVERFLOW, type Stream, Subscription } from "./subscription.ts";

interface Watch {
  readonly options: WatchOptions;
  readonly frames: Latest<WatchFrame>;
  readonly requestId: string;
}

interface PendingAction {
  readonly frame: ActionFrame;
  isSent: boolean;
  readonly resolve: (result: ActionResult) => void;
  readonly reject: (error: unknown) => void;
}

/** After this many missing frames, the last one counts as stale. */
const MISSED_FRAMES = 3;
const MIN_STALE_MS = 3_000;

/** Creates a client of the metrics channel, in a browser or in Node. It connects on first use. */
export function connect(options: ClientOptions): Client {
  return new ChannelClient(options);
}

type SampleFrame = Extract<ServerFrame, { type: "history" | "metrics" | "host" }>;

function isSample(frame: ServerFrame): frame is SampleFrame {
  return frame.type === "history" || frame.type === "metrics" || frame.type === "host";
}

class ChannelClient implements Client {
  readonly #options: ClientOptions;
  readonly #connection: Connection;
  readonly #pendingActions = new Map<string, PendingAction>();
  readonly #watchdog = watchdog(
    () => this.#onSilence(),
    () => this.#connection.renew(),
  );
  #state: ConnectionState = "connecting";
  #watch: Watch | undefined;
  #logs: Subscription<LogsFrame> | undefined;
  #events: Subscription<SvcmEvent> | undefined;
  /** The running subscriptions. */
  readonly #streams = new Set<Stream>();
  readonly #whole = joinChanges();
  #requestCount = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { token, signal } = options;
    this.#connection = new Connection({
      address: addressOf(options.url),
      token,
      Socket: socketConstructor(options.WebSocket),
      onOpen: () => this.#onOpen(),
      onFrame: (frame) => this.#onFrame(frame),
      onDown: () => this.#onDown(),
      onRetry: (reason) => options.onRetry?.(reason),
      onRefused: (error) => this.#failAll(error),
    });
    if (signal?.aborted) this.close();
    else signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchFrame> {
    this.#watch?.frames.end();
    const frames = latest<WatchFrame>(() => this.#unsubscribe(frames));
    if (this.#state === "closed" || options.signal?.aborted) {
      frames.end();
      return frames;
    }
    options.signal?.addEventListener("abort", () => frames.end(), { once: true });
    this.#watch = { options, frames, requestId: this.#nextId() };
    if (this.#connection.isOpen) this.#subscribe(this.#watch);
    else this.#connection.open();
    return frames;
  }

  logs(options: LogsOptions = {}): AsyncIterable<LogsFrame> {
    const request = { topic: "logs", options, requestId: this.#nextId(), overflow: LOG_OVERFLOW } as const;
    const next = new Subscription({ ...request, onReturn: (subscription) => this.#unsubscribeStream(subscription) });
    this.#replace(this.#logs, next);
    return (this.#logs = next);
  }

  events(options: EventOptions = {}): AsyncIterable<SvcmEvent> {
    const request = { topic: "events", options, requestId: this.#nextId() } as const;
    const next = new Subscription<SvcmEvent>({
      ...request,
      onReturn: (subscription) => this.#unsubscribeStream(subscription),
    });
    this.#replace(this.#events, next);
    return (this.#events = next);
  }

  #replace(previous: Stream | undefined, next: Stream): void {
    if (previous !== undefined) this.#streams.delete(previous);
    previous?.end();
    if (this.#state === "closed") return next.end();
    this.#streams.add(next);
    if (this.#connection.isOpen) this.#connection.send(next.subscribeFrame);
    else this.#connection.open();
  }

  async act(action: Action, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ActionResult> {
    signal?.throwIfAborted();
    if (this.#state === "closed") throw new Error("The client is closed.");
    const requestId = this.#nextId();
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<ActionResult>((resolve, reject) => {
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        const frame: ActionFrame = { type: "action", ...action, requestId };
        this.#pendingActions.set(requestId, { frame, isSent: false, resolve, reject });
        this.#sendActions();
        this.#connection.open();
      });
    } finally {
      this.#pendingActions.delete(requestId);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#connection.close();
    this.#watchdog.stop();
    this.#watch?.frames.end();
    for (const stream of this.#streams) stream.end();
    this.#watch = undefined;
    for (const { isSent, reject } of this.#pendingActions.values()) {
      reject(isSent ? new OutcomeUnknownError() : new Error("The client was closed before the action was sent."));
    }
    this.#setState("closed");
  }

  #onOpen(): void {
    if (this.#watch === undefined) this.#setState("live");
    else this.#subscribe(this.#watch);
    for (const { subscribeFrame } of this.#streams) this.#connection.send(subscribeFrame);
    this.#sendActions();
  }

  #subscribe({ options, requestId }: Watch): void {
    const { signal: _signal, ...request } = options;
    this.#connection.send({ type: "subscribe", ...request, requestId });
    const intervalMs = request.node === undefined ? (request.intervalMs ?? interval.default) : interval.max;
    this.#watchdog.start(Math.max(MIN_STALE_MS, MISSED_FRAMES * intervalMs));
  }

  #sendActions(): void {
    for (const action of this.#pendingActions.values()) {
      if (!action.isSent) action.isSent = this.#connection.send(action.frame);
    }
  }

  #onFrame(received: ServerFrame): void {
    this.#watchdog.reset();
    const frame = this.#whole(received);
    if (isSample(frame)) {
      this.#watch?.frames.put(frame.type === "history" ? "history" : "sample", frame);
      return this.#setState("live");
    }
    switch (frame.type) {
      case "error":
        return this.#onError(frame);
      case "action-result":
        return this.#onResult(frame);
      case "apply":
        return this.#options.onApply?.(frame);
      case "logs":
        return this.#logs?.put(frame);
      case "event":
        return this.#events?.put(frame.event);
      default: // "subscribed", "events.subscribed" and "pong" need no handling
    }
  }

  #onResult(frame: ActionResult): void {
    this.#pendingActions.get(frame.requestId ?? "")?.resolve(frame);
  }

  #onError(frame: ErrorFrame): void {
    const { requestId, code, details, error } = frame;
    const refusal = new ServiceError(code, error === undefined ? details : `${error} ${details}`);
    if (requestId === undefined) this.#watch?.frames.put("error", frame);
    else if (requestId === this.#watch?.requestId) this.#watch.frames.end(refusal);
    else this.#pendingActions.get(requestId)?.reject(refusal);
    for (const stream of this.#streams) if (stream.requestId === requestId) stream.end(refusal);
  }

  #onDown(): void {
    this.#watchdog.stop();
    for (const { isSent, reject } of this.#pendingActions.values()) if (isSent) reject(new OutcomeUnknownError());
    this.#setState("connecting");
  }

  #onSilence(): void {
    this.#setState("stale");
    this.#connection.send({ type: "ping" });
  }

  #failAll(error: ServiceError): void {
    this.#watch?.frames.end(error);
    for (const stream of this.#streams) stream.end(error);
    for (const { reject } of this.#pendingActions.values()) reject(error);
  }

  #unsubscribe(frames: Latest<WatchFrame>): void {
    if (this.#watch?.frames !== frames) return;
    this.#watch = undefined;
    this.#watchdog.stop();
    this.#connection.send({ type: "unsubscribe" });
  }

  #unsubscribeStream(stream: Stream): void {
    if (this.#streams.delete(stream)) this.#connection.send(stream.unsubscribeFrame);
  }

  #nextId(): string {
    return `c${++this.#requestCount}`;
  }

  #setState(state: ConnectionState): void {
    if (state === this.#state || this.#state === "closed") return;
    this.#state = state;
    this.#options.onState?.(state);
  }
}

export interface Watchdog {
  /** Restarts the timer. */
  start(silenceMs: number): void;
  reset(): void;
  stop(): void;
}

/** Calls `onSilence` after a silence, and `onDead` after a second one of the same length. */
export function watchdog(onSilence: () => void, onDead: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silenceMs = 0;
  const wait = (callback: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(callback, silenceMs);
  };
  const restart = (): void =>
    wait(() => {
      onSilence();
      wait(onDead);
    });
  return {
    start(ms) {
      silenceMs = ms;
      restart();
    },
    reset() {
      if (timer !== undefined) restart();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
